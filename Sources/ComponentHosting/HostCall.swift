internal import EventLoop

/// What a component says by `w3nHost`.
enum HostCall {
    case status(String)
    case extendStart(milliseconds: UInt32)
    case ready
}

/// Passes on what a component says that it is doing: the newest text, once a second at most.
final class StatusTeller {
    static let interval: UInt64 = 1000

    private let timer: Timer
    private let tell: (String) -> Void
    private var waiting: String?
    private var isResting = false

    init(on loop: Loop, tell: @escaping (String) -> Void) {
        timer = Timer(on: loop)
        self.tell = tell
    }

    func say(_ text: String) {
        waiting = text
        if !isResting { pass() }
    }

    private func pass() {
        isResting = waiting != nil
        guard let text = waiting else { return }
        waiting = nil
        tell(text)
        timer.start(afterMilliseconds: Self.interval) { [unowned self] in pass() }
    }
}
