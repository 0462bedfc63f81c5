internal import Glibc
internal import Supervision

/// Looks at the machine, for windows.
struct MachineReadings {
    /// As the kernel has it at `/sys/class/power_supply`.
    let powerSupplies: String
    /// As the kernel has it at `/proc/loadavg`.
    let loadAverages: String

    /// Where the environment says, as in a container that has its host's figures mounted elsewhere; else the kernel's own.
    init() {
        func place(_ variable: String, _ usual: String) -> String {
            guard let value = getenv(variable), value.pointee != 0 else { return usual }
            return String(cString: value)
        }
        powerSupplies = place("COREHOST_POWER_SUPPLY", "/sys/class/power_supply")
        loadAverages = place("COREHOST_LOADAVG", "/proc/loadavg")
    }

    init(powerSupplies: String, loadAverages: String) {
        self.powerSupplies = powerSupplies
        self.loadAverages = loadAverages
    }

    var conditions: MachineConditions { MachineConditions(load: load, power: MachineConditions.Power(supplies)) }

    private var load: Double? {
        guard let first = ProcessFigures.read(loadAverages)?.split(separator: " ").first, let load = Double(first),
            load.isFinite
        else { return nil }
        return max(0, load) / Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// One that goes while it is read is not there.
    private var supplies: [PowerSupply] {
        (KernelView.names(in: powerSupplies) ?? []).compactMap { name in
            func word(_ file: String) -> String? {
                ProcessFigures.read("\(powerSupplies)/\(name)/\(file)")?.split(separator: "\n").first.map(String.init)
            }
            return word("type").map { type in
                PowerSupply(
                    type: type, online: word("online").flatMap { Int($0) }.map { $0 != 0 }, status: word("status"),
                    scope: word("scope"))
            }
        }
    }
}
