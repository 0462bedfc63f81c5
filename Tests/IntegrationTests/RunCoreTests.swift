import TestSupport
import Testing

/// `corehost run --core` with bundles that are none: it ends with 15 and says what is wrong, by name.
@Suite struct RunCoreTests {
    private func run(_ core: String) throws -> (code: Int32, said: String) {
        let folder = try TemporaryFolder()
        let (code, lines) = try RunningSupervisor.corehost([
            "run", "--core", core, "--data", folder.path + "/data", "--socket", folder.path + "/control.sock",
            "--resources", RunningSupervisor.resources,
        ])
        #expect(!folder.names().contains("control.sock"))
        #expect(!folder.names(in: "data").contains("supervisor.lock"))
        return (code, lines.filter { !$0.contains("boot step done") }.joined(separator: "\n"))
    }

    @Test(
        arguments: [
            ("var __core3NWeb = (", "<html>", "SyntaxError"),
            ("var __core3NWeb = (", "throw new Error('not today'); (", "Error: not today"),
            ("var __core3NWeb = (", "const __core3NWeb = (", "__core3NWeb: lacks Core, Core.make"),
            ("    Core, Buffer,\n", "    Buffer,\n", "__core3NWeb: lacks Core, Core.make"),
            (
                "msgProtoType, exposeW3N, exposeStartupW3N", "msgProtoType, exposeStartupW3N",
                "__core3NWeb: lacks ipc.exposeW3N"
            ),
            (
                "exposeStartupW3N: exposeW3N,", "exposeStartupW3N: 7,",
                "__core3NWeb: ipc.exposeStartupW3N is of kind number, not function"
            ),
            (
                "async startDirectlyFromCache(", "async startFromCache(",
                "what Core.make gives: lacks startDirectlyFromCache"
            ),
        ])
    func aCoreThatIsNone(text: String, replacement: String, words: String) throws {
        let pair = try PairOfBundles([PairOfBundles.core: (text, replacement)])
        let (code, said) = try run(pair.path)
        #expect(code == 15)
        #expect(said.contains(words), "\(said)")
    }

    @Test func filesThatAreNotThere() throws {
        for name in [PairOfBundles.core, PairOfBundles.client] {
            let pair = try PairOfBundles(whole: [name: nil])
            let (code, said) = try run(pair.path)
            #expect(code == 15)
            #expect(said.contains("\(pair.path)/\(name): no such file; BUILDING.md says what"), "\(said)")
        }
        let (code, said) = try run("/nowhere/at-all")
        #expect(code == 15)
        #expect(said.contains("/nowhere/at-all/\(PairOfBundles.core): no such file"), "\(said)")
    }
}
