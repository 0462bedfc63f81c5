internal import CoreHosting
internal import Supervision

/// What the service manager is told of the platform. Ready is who can be logged in to: a service that waits for a login
/// has started.
extension Supervisor {
    /// The number of the service manager's questions to the core; the heartbeat counts from 1.
    static let watchdogQuestion: UInt32 = 0

    func tellReady() {
        manager?.ready { [unowned self] in
            core?.send(.heartbeat(Self.watchdogQuestion, soft: coreHeartbeat.policy.soft))
        }
    }

    /// With every change; what is the same is not told again.
    func tellStatus() {
        guard manager != nil else { return }
        manager?.show(statusText)
    }

    /// One line, without the user's name: whoever can log in to this machine may read it.
    var statusText: String {
        if let endReason { return String(endReason.prefix(200)) }
        let counts = Dictionary(drivers.values.map { ($0.machine.state.name, 1) }, uniquingKeysWith: +)
        switch phase {
        case .booting: return "booting"
        case .closing:
            let left = drivers.values.filter { !$0.isDown }.count
            return left == 0 ? "shutting down" : "shutting down, \(left) components left"
        case .running:
            guard login.userId != nil else {
                return loginName == "logging-in" ? "a login is under way" : "waiting for a login"
            }
            let states = ["running", "starting", "closing", "waiting", "failed"].compactMap { name in
                counts[name].map { "\($0) \(name)" }
            }
            return "logged in, components: " + (states.isEmpty ? "none" : states.joined(separator: ", "))
        }
    }
}
