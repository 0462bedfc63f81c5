internal import Control
internal import Glibc
internal import Logging
internal import Supervision

/// `doctor`: what is believed here against what the kernel shows. Reads `/proc` and a few files' names.
extension Supervisor {
    var diagnosis: DoctorReply {
        var doctor = Doctor()
        let all = allDrivers
        doctor.compareProcesses(
            all.map {
                .init(
                    id: "\($0.id)", state: $0.machine.state.name, pid: $0.child?.pid,
                    born: $0.child.map { Self.seconds($0.born.lowerBound)...Self.seconds($0.born.upperBound) })
            }, zygote: zygote?.pid, KernelView.children())
        doctor.compareDescriptors(
            KernelView.descriptors(), base: descriptorsAtStart, children: all.count { $0.child != nil },
            limit: KernelView.descriptorLimit())
        doctor.look("socket", "clients reach this supervisor there", at: [socketPlace])
        doctor.look("lock", "it keeps a second supervisor out", at: [lockPlace])
        doctor.look("modes", "nobody else may write there, or read keys", at: folderPlaces)
        doctor.compareTimers(dueTimers(all))
        doctor.compareThreads(KernelView.threadNames(), expected: coreIsAbandoned ? [] : ["core", "log-writer"])
        let logs = log.report
        doctor.compareLogs(logs.written, lost: logs.lost + logs.dropped, failure: logs.failure.map { "\($0)" })
        return doctor.reply
    }

    private static func seconds(_ instant: Instant) -> Double { Double(instant.nanoseconds) / 1e9 }

    private var socketPlace: Doctor.Place {
        Doctor.Place(
            path: options.socketPath, problem: server?.fileProblem,
            advice: "it is made again within a minute; if not, see `corehost logs`, and clear the way")
    }

    private var lockPlace: Doctor.Place {
        Doctor.Place(
            path: folder.path + "/supervisor.lock", problem: folder.lockProblem,
            advice: "the folder itself is locked too; to have the file again, end and start the supervisor")
    }

    private var folderPlaces: [Doctor.Place] {
        let forbidden: [(String, mode_t)] = [
            (folder.path, 0o022), (folder.files, 0o022), (folder.logs, 0o022), (folder.keys, 0o077),
        ]
        return forbidden.map { path, forbidden in
            Doctor.Place(
                path: path, problem: Self.modeProblem(path, forbidden: forbidden),
                advice: "chown \(geteuid()) \(path); chmod \(forbidden == 0o077 ? "700" : "go-w") \(path)")
        }
    }

    /// What is not there yet has no mode.
    private static func modeProblem(_ path: String, forbidden: mode_t) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        if status.st_uid != geteuid() { return "it belongs to uid \(status.st_uid)" }
        guard status.st_mode & forbidden != 0 else { return nil }
        return "its mode is \(String(status.st_mode & 0o7777, radix: 8))"
    }

    private func dueTimers(_ all: [ComponentDriver]) -> [Doctor.Due] {
        func due(_ subject: String, _ name: String, _ at: Instant?) -> Doctor.Due? {
            at.map { Doctor.Due(subject: subject, name: name, secondsAgo: Double((now - $0).nanoseconds) / 1e9) }
        }
        let components = all.flatMap { driver in
            [
                due("\(driver.id)", driver.machine.state.name, driver.machine.deadline),
                due("\(driver.id)", "heartbeat", driver.heartbeat.deadline),
            ]
        }
        return (components + [due("core", "heartbeat", coreHeartbeat.deadline)]).compactMap { $0 }
    }
}
