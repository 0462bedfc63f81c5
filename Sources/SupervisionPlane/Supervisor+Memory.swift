internal import Control
internal import EventLoop
internal import Logging
internal import Supervision
internal import Wire

/// What is known of the memory of one process.
struct ProcessMemory {
    var watch: MemoryWatch
    /// What the kernel's limit was made from when the process began.
    let hard: Int
    /// As the kernel tells; when.
    var held: (bytes: Int, at: Instant)?
    /// As the engine tells; when. The last ones come first.
    var figures: (MemoryFigures, at: Instant)?
    var lastQuestion: UInt32 = 0
    /// Of questions that are open.
    var answers: [UInt32: (MemoryFigures?) -> Void] = [:]

    init(_ policy: MemoryPolicy) {
        watch = MemoryWatch(policy)
        hard = policy.hard
    }
}

/// Memory of components' processes. Looked at when there is a reason: traffic, the round that is once a minute, or word of
/// the process itself, which looks while it works. A process that rests costs nothing.
extension Supervisor {
    private static let lookInterval = Duration.seconds(1)

    func resetMemory(_ driver: ComponentDriver) {
        let open = driver.memory.answers.values
        driver.memory = ProcessMemory(driver.machine.spec.policy.memory)
        forgetTraffic(driver)
        for answer in open { answer(nil) }
    }

    /// At most once a second.
    func lookAtMemory(_ driver: ComponentDriver) {
        if let last = driver.memory.held?.at, now - last < Self.lookInterval { return }
        lookAtMemoryNow(driver)
    }

    /// The process says that it has gone over, or back under, its mark. It may say what it likes: the kernel is asked.
    func lookAtMemoryNow(_ driver: ComponentDriver) {
        guard let pid = driver.child?.pid, let held = ProcessFigures.ownMemory(pid) else { return }
        driver.memory.held = (held, now)
        let soft = driver.memory.watch.policy.soft
        switch driver.memory.watch.see(held) {
        case .warn:
            let fields = ["memory": held.sizeText, "soft": soft.sizeText]
            say(.warning, "component holds much memory", about: driver, fields)
            note(.memorySoftLimit, about: driver, fields)
            record(
                .warning,
                "holds \(held.sizeText) of memory, more than \(soft.sizeText) (\"memory.soft\"); it is collected now",
                stream: .console, driver)
            measure(driver, collecting: true) { [unowned self] figures in
                guard let figures else { return }
                let heap = Int(clamping: figures.heap + figures.extra).sizeText
                say(
                    .notice, "component's memory was collected", about: driver,
                    ["memory": Int(clamping: figures.own).sizeText, "live": heap])
            }
        case .recovered:
            say(.notice, "component holds less memory again", about: driver, ["memory": held.sizeText])
            note(.memoryRecovered, about: driver, ["memory": held.sizeText])
        case .end(let over): deliver(.overMemory(over), to: driver.id)
        case nil: break
        }
    }

    /// Asks the engine; `done` gets nil if the process ends by then.
    func measure(_ driver: ComponentDriver, collecting: Bool, done: @escaping (MemoryFigures?) -> Void) {
        guard let child = driver.child else {
            done(nil)
            return
        }
        driver.memory.lastQuestion &+= 1
        driver.memory.answers[driver.memory.lastQuestion] = done
        child.send(.measure(driver.memory.lastQuestion, collecting: collecting))
    }

    /// An answer to no question says nothing.
    func measured(_ number: UInt32, _ figures: MemoryFigures, _ driver: ComponentDriver) {
        guard let done = driver.memory.answers.removeValue(forKey: number) else { return }
        driver.memory.figures = (figures, now)
        done(figures)
    }

    /// The engine gives up. That is for want of memory if the kernel has just refused it some.
    func gaveUp(_ data: UInt64, _ refused: UInt64, _ limit: UInt64, _ driver: ComponentDriver) {
        guard refused > 0 else { return }
        let left = Int(clamping: limit > data ? limit - data : 0)
        let message =
            "its engine asked for \(Int(clamping: refused).sizeText) more, and \(left.sizeText) were left of what"
            + " \"memory.hard\" (\(driver.memory.hard.sizeText)) lets it have"
        deliver(.failureReported(ReportedFailure(kind: .outOfMemory, message: message)), to: driver.id)
    }

    func memoryShape(_ driver: ComponentDriver) -> MemoryShape? {
        guard driver.child != nil else { return nil }
        let memory = driver.memory
        let figures = memory.figures?.0
        return MemoryShape(
            own: driver.child.flatMap { ProcessFigures.ownMemory($0.pid) }, soft: memory.watch.policy.soft,
            hard: memory.hard, heap: figures.map { Int(clamping: $0.heap) },
            extra: figures.map { Int(clamping: $0.extra) }, capacity: figures.map { Int(clamping: $0.capacity) },
            objects: figures.map { Int(clamping: $0.objects) })
    }
}
