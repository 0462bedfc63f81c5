import CSystem
import CUV
import Control
import Foundation
import Glibc
import Secrets
import TestSupport
import Testing

@testable import Commands

/// A password that is typed, at a terminal of the test's own.
@Suite struct TypedPasswordTests {
    private enum Asked: Equatable {
        case typed(String)
        case failed(errno: Int32)
    }

    /// The two ends of a terminal.
    private final class Terminal {
        let master: Int32
        let slave: Int32

        /// `TIOCSPTLCK` and `TIOCGPTN`, which Swift cannot import.
        private static let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

        init() throws {
            master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var (isLocked, number): (Int32, Int32) = (0, 0)
            guard master >= 0, ioctl(master, Self.unlock, &isLocked) == 0, ioctl(master, Self.number, &number) == 0
            else { throw TestFailure("no terminal: errno \(errno)") }
            slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        }

        deinit {
            close(master)
            close(slave)
        }

        var echoes: Bool {
            var settings = termios()
            tcgetattr(slave, &settings)
            return settings.c_lflag & tcflag_t(ECHO) != 0
        }

        func type(_ text: String) { _ = write(master, text, text.utf8.count) }

        /// What is shown, up to and with `text`.
        func shown(upTo text: String) throws -> String {
            var bytes: [UInt8] = []
            while !String(decoding: bytes, as: UTF8.self).contains(text) {
                var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
                guard Glibc.poll(&poll, 1, 10_000) == 1 else { throw TestFailure("not shown: \(text)") }
                var byte: UInt8 = 0
                guard read(master, &byte, 1) == 1 else { throw TestFailure("the terminal is gone") }
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Asks on a thread of its own; `typing` is done once the prompt is there.
    private func ask(
        _ terminal: Terminal, mostBytes: Int = Secret.maxBytes, _ typing: (Terminal) throws -> Void
    ) throws -> Asked {
        let slave = terminal.slave
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var asked = Asked.failed(errno: 0)
        Thread.detachNewThread {
            var bytes = [CChar](repeating: 0, count: mostBytes)
            let count = chs_ask_secretly(slave, "Password: ", &bytes, mostBytes)
            asked =
                count < 0
                ? .failed(errno: errno)
                : .typed(String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
            done.signal()
        }
        _ = try terminal.shown(upTo: "Password: ")
        #expect(!terminal.echoes)
        try typing(terminal)
        guard done.wait(timeout: .now() + 10) == .success else { throw TestFailure("it still asks") }
        #expect(terminal.echoes)
        return asked
    }

    @Test func isTakenWithoutBeingShown() throws {
        let terminal = try Terminal()
        #expect(try ask(terminal) { $0.type("open sésame\n") } == .typed("open sésame"))
        terminal.type("shown\n")
        #expect(try !terminal.shown(upTo: "shown").contains("open"))
    }

    @Test func anEmptyOneIsAnAnswer() throws {
        #expect(try ask(try Terminal()) { $0.type("\n") } == .typed(""))
    }

    @Test func oneThatIsTooLongIsReadToItsEnd() throws {
        let terminal = try Terminal()
        #expect(try ask(terminal, mostBytes: 4) { $0.type("12345\n") } == .failed(errno: EMSGSIZE))
        #expect(try ask(terminal, mostBytes: 4) { $0.type("1234\n") } == .typed("1234"))
    }

    @Test func theTerminalsEndIsNoPassword() throws {
        #expect(try ask(try Terminal()) { $0.type("\u{4}") } == .failed(errno: ENODATA))
    }

    @Test func whatIsNoTerminalIsNotAsked() {
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        var bytes = [CChar](repeating: 0, count: 4)
        #expect(chs_ask_secretly(null, "", &bytes, 4) == -1)
        #expect(errno == ENOTTY)
    }
}

@Suite struct ProgressBarTests {
    private func shown(_ news: [LoginNews], isTerminal: Bool) -> String {
        nonisolated(unsafe) var text = ""
        let console = Console(
            out: { _ in .done }, error: { _ in }, width: nil, hasColours: false, environment: [:],
            progress: isTerminal ? { text += $0 } : nil)
        var bar = ProgressBar(console)
        for item in news { bar.show(item) }
        bar.end()
        return text
    }

    @Test func staysInItsLineAndGoesAway() {
        let text = shown([LoginNews(percent: 0), LoginNews(percent: 50), LoginNews(percent: 100)], isTerminal: true)
        let full = String(repeating: "#", count: 30)
        let none = String(repeating: "-", count: 30)
        let half = full.prefix(15) + none.prefix(15)
        #expect(text == "\r[\(none)] 0 %\r[\(half)] 50 %\r[\(full)] 100 %\r\u{1B}[K")
    }

    @Test func messagesAreLinesOfTheirOwnAndHarmless() {
        #expect(shown([LoginNews(message: "opens\u{1B}[2J")], isTerminal: true) == "opens\\u{1b}[2J\n")
    }

    @Test func withoutATerminalThereIsNothing() {
        #expect(shown([LoginNews(percent: 50), LoginNews(message: "opens")], isTerminal: false).isEmpty)
    }
}
