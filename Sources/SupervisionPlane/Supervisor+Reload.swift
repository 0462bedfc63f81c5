internal import Configuration
internal import Control
internal import EventLoop
internal import Logging
internal import Supervision
internal import Wire

/// What a reload changed; `component` nil = the platform as a whole.
struct ReloadReport {
    struct Change {
        let component: ComponentID?
        let setting: SettingChange
    }

    let file: String
    let changes: [Change]

    func count(_ moment: SettingChange.Moment) -> Int { changes.count { $0.setting.moment == moment } }
}

/// Taking on a changed configuration while everything runs. All of it is read before any of it is used: a file that is
/// wrong changes nothing.
extension Supervisor {
    /// Reads the configuration anew and applies what changed.
    func reload() -> Result<ReloadReport, ConfigurationError> {
        let file = options.configurationFile
        manager?.reloading()
        defer { manager?.reloaded() }
        do throws(ConfigurationError) {
            let new = try file.map { path throws(ConfigurationError) in
                try Configuration(path: path, isNamedByUser: options.configurationIsRequired)
            }
            // Without a home there is no file, and all are defaults.
            let report = ReloadReport(file: file ?? "none", changes: adopt(new ?? Configuration()))
            let counts = SettingChange.Moment.allCases.map { ($0.rawValue, "\(report.count($0))") }
            let fields = Dictionary(counts, uniquingKeysWith: { $1 }).merging(["file": report.file]) { $1 }
            say(.notice, "configuration reloaded", fields)
            journal.record(.configReloaded, fields)
            for change in report.changes { say(change) }
            return .success(report)
        } catch {
            say(.error, "configuration refused; the one before stays", ["reason": "\(error)"])
            journal.record(.configRefused, ["reason": "\(error)"])
            return .failure(error)
        }
    }

    /// SIGHUP.
    func hangUp(_ hangUp: HangUp) {
        guard !hangUp.isLossOfTerminal else {
            say(.notice, "the terminal is gone")
            return shutdown()
        }
        // What came of it is in the log.
        _ = reload()
    }

    /// For `corehost reload`.
    func reload(_ exchange: ControlExchange) {
        switch reload() {
        case .success(let report): exchange.reply(ReloadReply(report))
        case .failure(let error):
            let place: JSONValue = [
                "file": .string(error.file), "line": JSONValue(error.line), "column": JSONValue(error.column),
                "key": .string(error.keyPath),
            ]
            exchange.fail(ControlError(.badConfiguration, "\(error); the configuration before it stays", data: place))
        }
    }

    private func adopt(_ new: Configuration) -> [ReloadReport.Change] {
        let old = configuration
        configuration = new
        var changes = new.changes(from: old).map { ReloadReport.Change(component: nil, setting: $0) }
        coreHeartbeat.policy = new.coreHeartbeat
        armCoreTimer()
        for driver in allDrivers {
            changes += adoptPolicy(driver).map { ReloadReport.Change(component: driver.id, setting: $0) }
        }
        schedule(.permitted(new.permittedTasks))
        schedule(.changed(taskSpecs))
        return changes
    }

    private func adoptPolicy(_ driver: ComponentDriver) -> [SettingChange] {
        let policy = policy(of: driver.info, driver.id)
        let changes = policy.changes(from: driver.machine.spec.policy)
        guard !changes.isEmpty else { return [] }
        driver.machine.adopt(policy)
        driver.heartbeat.policy = policy.heartbeat
        armHeartbeat(driver)
        driver.memory.watch.policy.soft = policy.memory.soft
        driver.child?.send(.limits(LiveLimits(policy)))
        // Without a process there is nothing that keeps what was.
        return driver.child == nil ? changes.map { $0.at(.now) } : changes
    }

    private func say(_ change: ReloadReport.Change) {
        let setting = change.setting
        say(
            .info, "setting changed",
            [
                "component": change.component.map { "\($0)" }, "key": setting.key, "from": setting.old,
                "to": setting.new,
                "applies": setting.moment.rawValue,
            ])
    }
}

extension LiveLimits {
    init(_ policy: RestartPolicy) {
        self.init(
            tellAbove: UInt64(policy.memory.soft), callReportedAfter: policy.heartbeat.soft.wholeMilliseconds,
            callEndedAfter: policy.heartbeat.hard.wholeMilliseconds)
    }
}

extension ReloadReply {
    fileprivate init(_ report: ReloadReport) {
        self.init(
            file: report.file,
            changes: report.changes.map { change in
                Change(
                    component: change.component.map { "\($0)" }, key: change.setting.key, from: change.setting.old,
                    to: change.setting.new, applies: change.setting.moment.rawValue)
            })
    }
}
