internal import Control
internal import Glibc
internal import TestSupport
internal import Testing

/// URLs go to the program that the desktop has for their scheme: here one of the test's own, which notes what it got.
@Suite struct OpenExternalTests {
    private let desktop: TemporaryFolder
    private let probe: CoreProbe

    init() throws {
        desktop = try TemporaryFolder()
        probe = try CoreProbe()
        let program = try desktop.write(
            """
            #!/bin/sh
            printf '%s\\n' "$1" >'\(desktop.path)/new' && mv '\(desktop.path)/new' '\(desktop.path)/seen'
            """, to: "opener")
        guard chmod(program, 0o700) == 0 else { throw TestFailure("chmod \(program): errno \(errno)") }
        try desktop.write(
            "[Desktop Entry]\nType=Application\nName=Opener\nExec=\(program) %u\n", to: "applications/opener.desktop")
        try desktop.write(
            "[Default Applications]\nx-scheme-handler/https=opener.desktop\n", to: "applications/mimeapps.list")
    }

    @Test func handsTheURLToTheDesktopsProgram() throws {
        let supervisor = try supervisor()
        let url = "https://example.com/a?b=%20$(touch%20x)&c=';d#e"
        #expect(try outcome(of: url, supervisor) == "opened")
        try supervisor.wait(for: "the program's note") { desktop.text(of: "seen") != "" }
        #expect(desktop.text(of: "seen") == url + "\n")
        try supervisor.end()
    }

    @Test func saysWhenThereIsNoProgramForIt() throws {
        let supervisor = try supervisor()
        let outcome = try outcome(of: "tel:+123", supervisor)
        #expect(outcome.hasPrefix("open-external noHandler tel:+123 was not opened: "), "\(outcome)")
        try supervisor.end()
    }

    @Test func refusesWhatIsNoURLForOthers() throws {
        let supervisor = try supervisor()
        for (url, fault) in [
            ("file:///etc/passwd", "schemes"), ("javascript:alert(1)", "schemes"), ("vscode://x", "schemes"),
            ("example.com", "absolute"), ("https://a b", "blanks"), ("https://a/\\n", "blanks"),
            ("https://ä.example", "ASCII"), ("https://" + String(repeating: "a", count: 70000), "65536 bytes"),
        ] {
            let outcome = try outcome(of: url, supervisor)
            #expect(
                outcome.hasPrefix("port badArgument openExternal: url must ") && outcome.contains(fault), "\(outcome)")
        }
        try supervisor.end()
    }

    private func supervisor() throws -> RunningSupervisor {
        try RunningSupervisor(
            apps: [:], resources: probe.path,
            environment: [
                "XDG_DATA_HOME": desktop.path, "XDG_DATA_DIRS": desktop.path, "XDG_CONFIG_HOME": desktop.path,
            ])
    }

    private func outcome(of url: String, _ supervisor: RunningSupervisor) throws -> String {
        let answer = try supervisor.evaluate(
            """
            const flags = ['badArgument', 'noHandler', 'notStarted'];
            try {
                await __nativeCallDispatch('openExternal', ['\(url.replacing("'", with: "\\'"))']);
                return 'opened';
            } catch (e) {
                return `${e.type} ${flags.find(flag => e[flag])} ${e.message}`;
            }
            """)
        return answer.string ?? "\(answer)"
    }
}
