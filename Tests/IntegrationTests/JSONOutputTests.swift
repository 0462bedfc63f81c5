import Control
import TestSupport
import Testing

@Suite struct JSONOutputTests {
    @Test func runAndCallWriteJSONWhenAsked() throws {
        let folder = try TemporaryFolder()
        let socket = folder.path + "/control.sock"
        let program = try RunningProgram(
            "corehost",
            [
                "run", "--local", "--json", "--data", folder.path + "/data", "--socket", socket, "--resources",
                RunningSupervisor.resources,
            ])
        let line = try program.line { $0.contains("component ready") && $0.contains("contactDenoServices.js") }
        let entry = try JSONParser.parse(line.text)
        #expect(entry["schema"] == "corehost.log/1")
        #expect(entry["text"] == "component ready")
        #expect(entry["level"] == "notice")
        let call = try RunningProgram(
            "corehost",
            ["call", "--socket", socket, "--json", "contacts.app.privacysafe.io", "AppContacts", "list"])
        #expect(try call.waitForExit() == 0)
        let reply = try JSONParser.parse(call.lines.joined(separator: "\n"))
        #expect(reply["schema"] == "corehost.call/1")
        #expect(reply["result"] == [])
        program.signal(15)
        #expect(try program.waitForExit() == 0)
    }
}
