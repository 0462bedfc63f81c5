internal import Glibc

/// What interrupts a program (SIGINT, SIGTERM, SIGHUP) waits while it is held, so that nothing is left half made.
public struct HeldSignals {
    public static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private let numbers: sigset_t

    /// Holds them from here on.
    public init() {
        var numbers = sigset_t()
        sigemptyset(&numbers)
        for number in Self.numbers { sigaddset(&numbers, number) }
        self.numbers = numbers
        hold()
    }

    public func hold() { mask(SIG_BLOCK) }

    public func letThrough() { mask(SIG_UNBLOCK) }

    /// One that waits; it does not any more.
    public func take() -> Int32? {
        var numbers = numbers
        var now = timespec()
        let number = sigtimedwait(&numbers, nil, &now)
        return number > 0 ? number : nil
    }

    private func mask(_ how: Int32) {
        var numbers = numbers
        pthread_sigmask(how, &numbers, nil)
    }
}
