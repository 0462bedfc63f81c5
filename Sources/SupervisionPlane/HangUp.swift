internal import Glibc

/// What SIGHUP means: somebody wants the configuration read anew, or the terminal that this was started from is gone.
struct HangUp {
    private let hadTerminal: Bool

    /// To be made at the start. A program that was told to ignore SIGHUP (nohup) is meant to outlive its terminal.
    init() {
        var before = sigaction()
        // Asking changes nothing.
        sigaction(SIGHUP, nil, &before)
        let isIgnored = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1
        hadTerminal = !isIgnored && Self.hasTerminal
    }

    /// The kernel takes a lost terminal away from the whole session before it sends the signal.
    var isLossOfTerminal: Bool { hadTerminal && !Self.hasTerminal }

    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }
}
