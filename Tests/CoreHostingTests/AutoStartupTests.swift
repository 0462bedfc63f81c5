import Foundation
import TestSupport
import Testing

@testable import CoreHosting

/// The unit of systemd's user manager that starts the platform.
@Suite struct AutoStartupTests {
    private let folder = Result { try TestSupport.TemporaryFolder() }

    private func startup(
        command: [String] = ["/usr/bin/corehost", "run"], hasManager: Bool = true
    ) throws -> AutoStartup {
        let folder = try folder.get()
        if hasManager { try folder.write("", to: "runtime/systemd/private") }
        return AutoStartup(
            environment: ["XDG_CONFIG_HOME": folder.path + "/config", "XDG_RUNTIME_DIR": folder.path + "/runtime"],
            name: "0123", command: command)
    }

    @Test func enablingWritesAUnitAndItsLinkAndDisablingTakesBothAway() throws {
        let folder = try folder.get()
        let startup = try startup(command: ["/opt/my programs/corehost", "run", "--data", "/home/a/50% \"$x\"\\\n"])
        #expect(startup.obstacle == nil && !startup.isSet)
        for _ in 1...2 {
            try startup.set(true)
            #expect(startup.isSet)
            #expect(folder.names(in: "config/systemd/user") == ["corehost-0123.service", "default.target.wants"])
            #expect(
                folder.text(of: "config/systemd/user/default.target.wants/corehost-0123.service").contains(
                    #"ExecStart="/opt/my programs/corehost" "run" "--data" "/home/a/50%% \"$$x\"\\\x0a""# + "\n"))
        }
        for _ in 1...2 {
            try startup.set(false)
            #expect(!startup.isSet)
            #expect(folder.names(in: "config/systemd/user") == ["default.target.wants"])
            #expect(folder.names(in: "config/systemd/user/default.target.wants") == [])
        }
    }

    @Test func withoutAManagerItSaysWhyNot() throws {
        let startup = try startup(hasManager: false)
        let path = try folder.get().path
        let reason =
            "no service manager of the user's runs: \(path)/runtime/systemd/private is not there; systemd starts one "
            + "with a login"
        #expect(startup.obstacle == reason)
        #expect(throws: AutoStartup.Failure(kind: .notAvailable, description: reason)) { try startup.set(true) }
        #expect(try folder.get().names() == [])
        let bare = AutoStartup(environment: ["XDG_RUNTIME_DIR": "relative"], name: "0", command: [])
        #expect(bare.obstacle == "there is no XDG_RUNTIME_DIR, and so no service manager of the user's")
        #expect(!bare.isSet)
    }

    @Test func whatCannotBeWrittenIsTold() throws {
        let startup = try startup()
        let path = try folder.get().path
        try folder.get().write("in the way", to: "config/systemd")
        let refused = AutoStartup.Failure(
            kind: .notWritten, description: "cannot make \(path)/config/systemd/user: Not a directory")
        #expect(throws: refused) { try startup.set(true) }
    }
}
