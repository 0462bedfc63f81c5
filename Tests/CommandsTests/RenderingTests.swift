import Control
import Testing

@testable import Commands

@Suite struct RenderingTests {
    @Test func sizesCountsAndDurationsReadWell() {
        #expect(
            [0, 1023, 1024, 10_035, 10_240, 1_048_063, 1_048_576, 5 << 30].map(HumanUnits.size)
                == ["0 B", "1023 B", "1.0 KiB", "9.8 KiB", "10 KiB", "1023 KiB", "1.0 MiB", "5.0 GiB"])
        #expect(
            [0, 9999, 10_000, 999_499, 999_500, 4_540_000].map(HumanUnits.count)
                == ["0", "9999", "10k", "999k", "1.0M", "4.5M"])
        #expect(
            [0, 0.44, 9.99, 10, 59.9, 60, 192, 3599, 7500, 86_400, 356_400, -1].map(HumanUnits.duration)
                == ["0s", "0.4s", "9.9s", "10s", "59s", "1m00s", "3m12s", "59m59s", "2h05m", "1d00h", "4d03h", "-"])
    }

    private let rows = [
        ComponentRow(
            id: "chat.app/background-instance.mjs", connector: "c1", app: "chat.app", entry: "/background-instance.mjs",
            kind: "startup", state: "running", wanted: "up", pid: 4711, generation: 2, uptime: 192.4, restarts: 1,
            memory: 12_582_912, in: 120, out: 12_345),
        ComponentRow(
            id: "a/x", app: "a", entry: "/x", kind: "service", state: "down", wanted: "down", generation: 0, restarts: 0
        ),
    ]

    @Test func alignsTheTable() {
        #expect(
            PsTable.lines(rows, console: .plain) == [
                "ID                                STATE     PID  UPTIME  RESTARTS  MEMORY   IN  OUT",
                "chat.app/background-instance.mjs  running  4711   3m12s         1  12 MiB  120  12k",
                "a/x                               down        -       -         0       -    -    -",
            ])
    }

    @Test func showsTheHeapOnceItIsKnown() {
        var row = rows[0]
        row.heap = 3 << 20
        let lines = PsTable.lines([row, rows[1]], console: .plain)
        #expect(lines[0].hasSuffix("MEMORY     HEAP   IN  OUT"))
        #expect(lines[1].hasSuffix("12 MiB  3.0 MiB  120  12k"))
        #expect(lines[2].hasSuffix("     -        -    -    -"))
    }

    @Test func showsThePhaseWhileSomethingStarts() {
        var row = rows[1]
        row.state = "starting"
        row.phase = "hello"
        #expect(
            PsTable.lines([row], console: .plain) == [
                "ID   STATE     PHASE  PID  UPTIME  RESTARTS  MEMORY  IN  OUT",
                "a/x  starting  hello    -       -         0       -   -    -",
            ])
        #expect(PsTable.lines([], console: .plain).count == 1)
    }

    @Test func fitsTheTerminal() {
        let lines = PsTable.lines(rows, console: .terminal(width: 72))
        #expect(lines.allSatisfy { $0.count <= 72 })
        #expect(lines[1].hasPrefix("chat.app/b…stance.mjs  running"))
    }

    @Test func coloursStatesWithoutMovingColumns() {
        let lines = PsTable.lines(rows, console: .terminal(width: 200, colours: true))
        #expect(lines[1].contains("  \u{1B}[32mrunning\u{1B}[0m  4711"))
        #expect(lines[2].contains("  \u{1B}[90mdown\u{1B}[0m        -"))
    }

    @Test func keepsEscapesOfComponentsFromTheTerminal() {
        #expect(Console.terminal(width: 80).clean("a\u{1B}[2Jb\tc\u{9B}") == "a\\u{1b}[2Jb c\\u{9b}")
        #expect(Console.plain.clean("a\u{1B}") == "a\u{1B}")
    }

    @Test func outlinesWhatIsKnown() {
        let reply = InspectReply(
            component: rows[1], version: "1.0", services: ["A", "B"],
            restart: .init(type: "transient", recent: 0, max: 10, period: 300),
            lastExit: .init(
                generation: 1, time: "2026-01-31T23:59:59.123Z", cause: "uncaught-error",
                certainty: "told", message: "exited with 20"),
            process: .init(pid: 7, memory: 1_048_576))
        let lines = Outline.lines(reply.json, console: .plain)
        #expect(lines.first == "component:")
        #expect(lines.contains("  id:         a/x"))
        #expect(lines.contains("services:  A, B"))
        #expect(lines.contains("  period:  5m00s"))
        #expect(lines.contains("last exit:"))
        #expect(lines.contains("  memory:              1.0 MiB"))
        #expect(lines.contains("problems:  -"))
        #expect(!lines.contains { $0.contains("schema") })
    }
}

extension Console {
    static var plain: Console {
        Console(out: { _ in .done }, error: { _ in }, width: nil, hasColours: false, environment: [:])
    }

    static func terminal(width: Int, colours: Bool = false) -> Console {
        Console(out: { _ in .done }, error: { _ in }, width: width, hasColours: colours, environment: [:])
    }
}
