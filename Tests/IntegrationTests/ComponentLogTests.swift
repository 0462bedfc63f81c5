import Glibc
import TestSupport
import Testing
import Wire

@Suite struct ComponentLogTests {
    @Test func eachLevelArrivesAsItself() throws {
        let component = try ComponentFixture(
            code: "for (const level of ['debug', 'info', 'log', 'warn', 'error']) { console[level](level) }")
        try component.waitForReady()
        let lines = component.reports.compactMap { report -> ComponentReport? in
            if case .log = report { report } else { nil }
        }
        #expect(
            lines == [
                .log(.debug, "debug", place: "main.js:1"), .log(.info, "info", place: "main.js:1"),
                .log(.log, "log", place: "main.js:1"), .log(.warn, "warn", place: "main.js:1"),
                .log(.error, "error", place: "main.js:1"),
            ])
    }

    @Test func linesSayWhereInTheCodeTheyAreWritten() throws {
        let component = try ComponentFixture(
            code: """
                const say = text => {
                    console.log(text);
                };
                say('in a function');
                console.table([1]);

                await null;
                console.warn('after a wait: %d', 1);
                setTimeout(() => say('in a timer'), 0);
                """)
        try component.wait(for: "the timer's line") { $0.logLines.last == "in a timer" }
        let places = component.reports.compactMap { report -> String? in
            if case .log(_, _, let place) = report { place ?? "none" } else { nil }
        }
        #expect(places == ["main.js:2", "main.js:5", "main.js:8", "main.js:2"])
    }

    @Test func theLastLineBeforeAnEndIsKept() throws {
        for code in ["console.log('last'); throw new Error()", "console.log('last'); w3n.closeSelf()"] {
            let component = try ComponentFixture(code: code)
            try component.waitForExit()
            #expect(component.logLines == ["last"])
        }
    }

    @Test func aLineOfMoreThanAMebibyteIsCut() throws {
        let component = try ComponentFixture(code: "console.log('x'.repeat(3 << 20))")
        try component.waitForReady()
        let line = try #require(component.logLines.first)
        #expect(line.utf8.count <= 1 << 20)
        #expect(line.hasSuffix("bytes cut]"))
    }

    @Test func aFloodThatNobodyReadsCostsABoundedAmountOfMemory() throws {
        let resources = try RawResources()
        let lines = 100_000
        let component = try ComponentFixture(
            code: """
                globalThis.receive = () => {
                    const line = 'x'.repeat(1000);
                    for (let i = 0; i < \(lines); i++) { console.log(line); }
                    send(new Uint8Array(1));
                };
                """, resources: resources.folder)
        try component.waitForReady()
        component.readsControl = false
        let before = try residentBytes(component.pid)
        try component.send(.envelope)
        try component.wait(for: "the end of the flood") { $0.frames.count == 1 }
        #expect(try residentBytes(component.pid) - before < 48 << 20)
        component.readsControl = true
        try component.wait(for: "the number of lost lines") { $0.logLines.last?.contains("log lines lost") == true }
        let lost = component.logLines.last?.split(separator: " ").first.flatMap { Int($0) }
        #expect(lost.map { component.logLines.count - 1 + $0 } == lines)
    }

    /// From `statm`, in bytes.
    private func residentBytes(_ pid: pid_t) throws -> Int {
        guard let file = fopen("/proc/\(pid)/statm", "r") else {
            throw ComponentFixture.Failure(description: "statm: errno \(errno)")
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        fgets(&line, 256, file)
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw ComponentFixture.Failure(description: "statm: \(fields)")
        }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
