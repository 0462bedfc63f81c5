internal import EventLoop
internal import Glibc
internal import Logging
internal import Supervision

/// Exits of children. Each is seen and said at once; what it leads to may have to wait for the end of a storm.
extension Supervisor {
    struct Death {
        let driver: ComponentDriver
        let pid: Int32
        let status: ExitStatus
    }

    func childExited(_ driver: ComponentDriver, _ status: ExitStatus) {
        let death = Death(driver: driver, pid: driver.child?.pid ?? 0, status: status)
        driver.child = nil
        say(.info, "component exited", about: driver, ["pid": "\(death.pid)", "cause": "\(status)"])
        deaths.append(death)
        if phase == .running, let until = storm.death(at: now) {
            stormTimer.start(after: until - now) { [unowned self] in followDeaths() }
        } else if deaths.count == 1 {
            followAllDeaths()
        }
    }

    /// Before anything is answered or closed, so that nobody is told that the dead live.
    func followAllDeaths() {
        while !deaths.isEmpty { follow(deaths.removeFirst()) }
    }

    /// One in each turn, so that further ones are seen in between.
    private func followDeaths() {
        guard !deaths.isEmpty else { return }
        follow(deaths.removeFirst())
        loop.atNextTurn { [weak self] in self?.followDeaths() }
    }

    private func follow(_ death: Death) {
        let driver = death.driver
        if death.status == .signalled(SIGKILL), let word = kernelLog.word(on: death.pid) {
            deliver(.kernelSaid(word), to: driver.id)
        }
        failEvaluations(of: driver)
        driver.finishInspections()
        resetMemory(driver)
        deliver(.exited(death.status), to: driver.id)
    }
}
