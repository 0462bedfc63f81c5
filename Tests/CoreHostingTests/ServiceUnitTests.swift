import Foundation
import TestSupport
import Testing

@testable import CoreHosting

/// The units in `deploy/` are those that the program writes.
@Suite struct ServiceUnitTests {
    private static let analyze = "/usr/bin/systemd-analyze"
    private static let units = [("corehost.service", ServiceUnit.Owner.managerOfUser), ("corehost@.service", .system)]

    @Test(arguments: units) func deployHasTheProgramsOwnText(name: String, owner: ServiceUnit.Owner) throws {
        let path = RunningSupervisor.repository + "/deploy/\(name)"
        #expect(try String(contentsOfFile: path, encoding: .utf8) == ServiceUnit.usual(owner).text)
    }

    /// systemd itself has nothing to say against them. The program is one that is there.
    @Test(.enabled(if: access(analyze, X_OK) == 0, "there is no systemd-analyze"), arguments: units)
    func systemdTakesThem(name: String, owner: ServiceUnit.Owner) throws {
        let folder = try TestSupport.TemporaryFolder()
        let unit = ServiceUnit.usual(owner).text.replacingOccurrences(
            of: "/usr/local/bin/corehost", with: RunningProgram.folder + "/corehost")
        let path = try folder.write(unit, to: name.replacingOccurrences(of: "@.", with: "@root."))
        let verify = try RunningProgram(Self.analyze, ["verify", "--man=no", "--recursive-errors=no", path])
        #expect(try verify.waitForExit() == 0)
        #expect(verify.lines == [])
    }
}
