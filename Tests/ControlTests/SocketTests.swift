import Glibc
import TestSupport
import Testing

@testable import Control

@Suite struct SocketTests {
    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test func makesAFolderAndAFileForItsOwnerAlone() throws {
        try withServer { server in
            #expect(mode(server.path) == 0o600)
            #expect(mode(server.folder.path + "/run") == 0o700)
        }
    }

    @Test func replacesAStaleSocketAndNothingElse() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.sock"
        // Bound and never listened at: what a killed supervisor leaves.
        let stale = try UnixSocket.make()
        try UnixSocket.bind(stale, to: path)
        close(stale)
        let (file, descriptor) = try ControlSocketFile.bind(at: path)
        #expect(listen(descriptor, 1) == 0)
        #expect(throws: ControlSocketError(path: path, reason: .inUse)) { try ControlSocketFile.bind(at: path) }
        close(descriptor)
        file.remove()
        #expect(access(path, F_OK) != 0)
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: ControlSocketError(path: path, reason: .notASocket)) { try ControlSocketFile.bind(at: path) }
    }

    @Test func leavesASocketThatTookItsPlace() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.sock"
        let (first, one) = try ControlSocketFile.bind(at: path)
        let (second, two) = try ControlSocketFile.bind(at: path)
        first.remove()
        #expect(access(path, F_OK) == 0)
        second.remove()
        #expect(access(path, F_OK) != 0)
        close(one)
        close(two)
    }

    @Test func saysWhyAPathCannotBe() throws {
        let folder = try TemporaryFolder()
        let long = folder.path + "/" + String(repeating: "x", count: 100)
        let error = #expect(throws: ControlSocketError.self) { try ControlSocketFile.bind(at: long) }
        #expect(
            error?.description
                == "the path of the control socket has \(long.utf8.count) bytes, 107 are allowed: \(long); give a shorter "
                + "one with --socket")
        let open = folder.path + "/open"
        mkdir(open, 0o700)
        chmod(open, 0o777)
        #expect(throws: ControlSocketError(path: open + "/a", reason: .folderOpenToOthers(folder: open))) {
            try ControlSocketFile.bind(at: open + "/a")
        }
        let missing = folder.path + "/no/such/a"
        #expect(throws: ControlSocketError.self) { try ControlSocketFile.bind(at: missing) }
    }

    @Test func aClientSaysThatNobodyListens() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.sock"
        let error = #expect(throws: ControlError.self) { try ControlClient(path: path) }
        #expect(error?.exitCode == .notRunning)
        #expect(error?.message == "no supervisor is running at \(path); start one with `corehost run`")
        let long = #expect(throws: ControlError.self) { try ControlClient(path: String(repeating: "x", count: 200)) }
        #expect(long?.exitCode == .usage)
    }

    @Test func aClientGivesUpAndSaysSo() throws {
        try withServer { server in
            let client = try ControlClient(path: server.path)
            let never = ControlRequest.call(app: "a", service: "S", method: "never", arguments: [])
            let error = #expect(throws: ControlError.self) {
                try client.ask(never, as: CallReply.self, within: .milliseconds(50))
            }
            #expect(error?.exitCode == .timedOut)
            #expect(error?.message == "no answer to \"call\" within 0.05 s; `corehost ps` shows how far it is")
        }
    }

    @Test func aClientSaysThatTheConnectionBroke() throws {
        try withServer { server in
            let client = try ControlClient(path: server.path)
            server.closeServer()
            let error = #expect(throws: ControlError.self) {
                try client.ask(.version, as: VersionReply.self, within: .seconds(10))
            }
            #expect(error?.exitCode == .failed || error?.message == "the supervisor is closing")
        }
    }
}

@Suite struct PlacesTests {
    private let data = "/data"

    @Test func followsTheOrderOfPlaces() {
        let socket = "bd47413b5c03dfc6.sock"
        let runtime = Places(environment: ["XDG_RUNTIME_DIR": "/run/user/7"], user: 7)
        #expect(runtime.socket(forDataFolder: data) == "/run/user/7/corehost/" + socket)
        #expect(Places(environment: [:], user: 0).socket(forDataFolder: data) == "/run/corehost/" + socket)
        #expect(Places(environment: [:], user: 7).socket(forDataFolder: data) == "/data/run/" + socket)
        #expect(
            Places(environment: ["XDG_RUNTIME_DIR": "relative"], user: 7).socket(forDataFolder: data)
                == "/data/run/" + socket)
    }

    @Test func aClientLooksWhereItIsTold() {
        let places = Places(environment: ["COREHOST_SOCKET": "/env.sock", "HOME": "/nobody"], user: 7)
        #expect(places.clientSocket(socketOption: "/a.sock", dataOption: "/data") == "/a.sock")
        #expect(places.clientSocket(socketOption: nil, dataOption: "/data") == "/env.sock")
        let without = Places(environment: ["HOME": "/nobody"], user: 7)
        #expect(
            without.clientSocket(socketOption: nil, dataOption: "/data")
                == "/data/run/" + Places.socketName("/data"))
        #expect(
            without.clientSocket(socketOption: nil, dataOption: nil)
                == "/nobody/.local/share/corehost/run/" + Places.socketName("/nobody/.local/share/corehost"))
        #expect(Places(environment: [:], user: 7).clientSocket(socketOption: nil, dataOption: nil) == nil)
    }

    @Test func findsTheRealPathOfWhatExists() throws {
        let folder = try TemporaryFolder()
        symlink(folder.path, folder.path + "/link")
        #expect(Places.real(folder.path + "/link/./new//data/") == folder.path + "/new/data")
        #expect(Places.real("/") == "/")
        #expect(Places.real("/no-such-folder-here") == "/no-such-folder-here")
        #expect(
            Places(environment: ["XDG_DATA_HOME": folder.path + "/link"]).dataFolder(option: nil)
                == folder.path + "/corehost")
        #expect(
            Places(environment: ["XDG_CONFIG_HOME": "/etc/xdg"]).configurationFile(option: nil)
                == "/etc/xdg/corehost/corehost.jsonc")
    }
}
