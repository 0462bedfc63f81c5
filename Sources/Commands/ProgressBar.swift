internal import Control

/// How far a login is, on standard error: a bar that stays in its line, and the core's messages as lines of their own.
/// Without a terminal there is nothing of it.
struct ProgressBar {
    private static let cells = 30

    private let write: ((String) -> Void)?
    private var isShown = false

    init(_ console: Console) { write = console.progress }

    mutating func show(_ news: LoginNews) {
        if let percent = news.percent {
            let full = Self.cells * min(100, max(0, percent)) / 100
            let bar = String(repeating: "#", count: full) + String(repeating: "-", count: Self.cells - full)
            write?("\r[\(bar)] \(percent) %")
            isShown = true
        }
        if let message = news.message {
            end()
            write?(Console.harmless(message) + "\n")
        }
    }

    /// Takes the bar away.
    mutating func end() {
        if isShown { write?("\r\u{1B}[K") }
        isShown = false
    }
}
