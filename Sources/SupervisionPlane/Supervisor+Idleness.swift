internal import Control
internal import CoreHosting
internal import EventLoop
internal import Logging
internal import Supervision
internal import Wire

/// Components that have become idle give memory back. A timer runs from the first traffic to the collection and not again
/// before there is traffic: one that stays idle wakes nobody.
extension Supervisor {
    /// The component's own process collects so long after its start, whatever there was.
    private static let settling = Duration.seconds(2)

    func awaitIdleness(_ driver: ComponentDriver) {
        // What it says right after a collection is that objects are gone.
        if let collectedAt = driver.collectedAt, now - collectedAt < Self.settling { return }
        let isWaiting = driver.lastTraffic != nil
        driver.lastTraffic = now
        if !isWaiting { lookForIdleness(driver, after: driver.machine.spec.policy.memory.collectAfter) }
    }

    private func lookForIdleness(_ driver: ComponentDriver, after delay: Duration) {
        guard phase == .running else { return }
        driver.idleTimer.start(after: delay) { [unowned self, unowned driver] in
            guard let last = driver.lastTraffic else { return }
            let idleAt = last + driver.machine.spec.policy.memory.collectAfter
            guard now >= idleAt else { return lookForIdleness(driver, after: idleAt - now) }
            driver.lastTraffic = nil
            guard let readyAt = driver.readyAt, last > readyAt + Self.settling else { return }
            driver.collectedAt = now
            measure(driver, collecting: true) { [unowned self, unowned driver] figures in
                guard let figures else { return }
                let live = Int(clamping: figures.heap + figures.extra).sizeText
                say(.debug, "idle component was collected", about: driver, ["live": live])
            }
        }
    }

    // MARK: The core

    /// Its garbage may grow to what suits the machine's memory before its engine collects by itself.
    private static let coreCollectAfter = Duration.seconds(10)

    /// With everything that it says of its own accord.
    func awaitCoreIdleness() {
        let isWaiting = coreBusyAt != nil
        coreBusyAt = now
        if !isWaiting { lookForCoreIdleness(after: Self.coreCollectAfter) }
    }

    private func lookForCoreIdleness(after delay: Duration) {
        coreIdleTimer.start(after: delay) { [unowned self] in
            guard let last = coreBusyAt else { return }
            let idleAt = last + Self.coreCollectAfter
            guard now >= idleAt else { return lookForCoreIdleness(after: idleAt - now) }
            coreBusyAt = nil
            guard phase == .running else { return }
            core?.send(.collect)
            say(.debug, "idle core is collected")
        }
    }

    func forgetTraffic(_ driver: ComponentDriver) {
        driver.idleTimer.stop()
        driver.lastTraffic = nil
        driver.collectedAt = nil
    }
}

/// What a component says of itself.
extension Supervisor {
    /// Never longer than it may be, on one line, whatever the process sends.
    static func shown(status text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard scalars.count < ComponentReport.statusLimit else { break }
            let isPlain = scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
            scalars.append(isPlain ? scalar : " ")
        }
        return String(scalars)
    }

    func extendStart(_ milliseconds: UInt32, _ driver: ComponentDriver) {
        let time = Duration.milliseconds(Int64(milliseconds))
        say(.info, "component asks for time to start", about: driver, ["time": time.text])
        deliver(.startExtended(time), to: driver.id)
    }
}
