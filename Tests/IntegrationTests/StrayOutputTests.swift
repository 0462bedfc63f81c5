import Control
import Foundation
import TestSupport
import Testing

/// What a component's process writes to its standard output and error.
@Suite struct StrayOutputTests {
    @Test func linesAreAttributedAndTheLastOneIsKeptWithoutItsEnd() throws {
        let programs = try TemporaryFolder()
        let files = FileManager.default
        // A program finds its companions beside itself.
        for program in ["corehost", "corehost-supervisor"] {
            try files.copyItem(atPath: "\(RunningProgram.folder)/\(program)", toPath: "\(programs.path)/\(program)")
        }
        let script = try programs.write(
            """
            #!/bin/sh
            [ "$1" = zygote ] && exit
            echo "from standard output of $2"
            echo "from standard error of $2" >&2
            printf 'no line end in %s' "$2"
            exec \(RunningProgram.folder)/corehost-component "$@"
            """, to: "corehost-component")
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("stray.test", ["a.mjs": "", "b.mjs": "0"].mapValues { _ in "let nothing;" }),
            program: "\(programs.path)/corehost")
        for entry in ["a.mjs", "b.mjs"] {
            let id = "stray.test/\(entry)"
            try supervisor.line("component ready", about: id)
            kill(try supervisor.pid(id), SIGKILL)
            try supervisor.line("component exited", about: id)
            let logs = try supervisor.client().ask(
                .logs(id: id, lines: 100, follow: false), as: LogsReply.self, within: .seconds(10))
            let texts = logs.lines.map { "\($0.json)" }
            for text in ["from standard output of 1", "from standard error of 1", "no line end in 1"] {
                #expect(texts.count { $0.contains(text) } == 1, "\(text) of \(id) in \(texts)")
            }
        }
        #expect(try supervisor.end() == 0)
    }
}
