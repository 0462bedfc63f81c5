/// What a window waits for, as it was when somebody looked.
public struct MachineConditions: Hashable, Sendable {
    public enum Power: String, Hashable, Sendable {
        case external, battery
        /// There is none, so nothing can be saved.
        case noBattery = "no-battery"
    }

    /// Of the last minute, for each processor. Nil: not known, which keeps nothing waiting.
    public var load: Double?
    public var power: Power

    public init(load: Double?, power: Power) {
        self.load = load
        self.power = power
    }
}

/// One entry of the kernel's list of power supplies, in its own words; nil where it has no such word.
public struct PowerSupply: Hashable, Sendable {
    /// `Mains`, `USB`, `Wireless`, `UPS`, `Battery`.
    public var type: String
    public var online: Bool?
    /// Of a battery: `Charging`, `Discharging`, `Full`, `Not charging`, `Unknown`.
    public var status: String?
    /// `Device`: it feeds something beside the machine, such as a mouse.
    public var scope: String?

    public init(type: String, online: Bool? = nil, status: String? = nil, scope: String? = nil) {
        self.type = type
        self.online = online
        self.status = status
        self.scope = scope
    }
}

extension MachineConditions.Power {
    /// A battery that says that it is being emptied is believed before a plug that says that it is there: a weak charger does
    /// not keep up. One that does not say what it does is as its plugs are.
    public init(_ supplies: [PowerSupply]) {
        let own = supplies.filter { $0.scope != "Device" }
        let batteries = own.filter { $0.type == "Battery" }
        let plugs = own.filter { $0.type != "Battery" && $0.online != nil }
        if batteries.isEmpty {
            self = .noBattery
        } else if batteries.contains(where: { $0.status == "Discharging" }) {
            self = .battery
        } else if batteries.contains(where: { $0.status == "Charging" || $0.status == "Full" }) {
            self = .external
        } else {
            self = plugs.isEmpty || plugs.contains { $0.online == true } ? .external : .battery
        }
    }
}
