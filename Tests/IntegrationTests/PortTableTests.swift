internal import FoundationEssentials
internal import TestSupport
internal import Testing

/// `docs/ports.md` is what the ports' declarations say, and the core's context has the ports that are declared.
@Suite struct PortTableTests {
    @Test func documentIsMadeFromTheDeclarations() throws {
        let (kept, made) = (try text(of: "docs/ports.md"), try printed() + "\n")
        #expect(kept == made, "write it anew with `make docs`")
    }

    @Test func coreHasTheDeclaredPorts() throws {
        let supervisor = try RunningSupervisor()
        let (code, lines) = try supervisor.corehost("status", "--json")
        #expect(code == 0)
        struct Status: Decodable { let ports: [String] }
        let status = try JSONDecoder().decode(Status.self, from: Data(lines.joined().utf8))
        let declared = try printed().components(separatedBy: "\n## Component\n")[0].split(separator: "\n")
            .filter { $0.hasPrefix("| `") }.map { $0.dropFirst(3).prefix { $0 != "`" } }
        #expect(status.ports == declared.map(String.init).sorted())
        try supervisor.end()
    }

    private func printed() throws -> String {
        let program = try RunningProgram("port-table", [])
        #expect(try program.waitForExit() == 0)
        return program.lines.joined(separator: "\n")
    }

    private func text(of file: String) throws -> String {
        try String(contentsOfFile: "\(RunningSupervisor.repository)/\(file)", encoding: .utf8)
    }
}
