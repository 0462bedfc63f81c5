import Control
import Foundation
import TestSupport
import Testing

/// The key store of a real platform, without and with a Secret Service, which is gnome-keyring's.
@Suite struct KeystoreTests {
    private let folder: TemporaryFolder
    private let probe: CoreProbe

    init() throws {
        folder = try TemporaryFolder()
        probe = try CoreProbe(before: Self.withoutUsers)
    }

    /// The user of `run --local` has a key of the device's, too; here it is none of the key store's, so that all that the
    /// store has is the test's.
    private static let withoutUsers = """

        (() => {
        const dispatch = globalThis.__nativeCallDispatch;
        globalThis.__nativeCallDispatch = (name, args) => name.startsWith('keystore_') && args[0] === 'users'
            ? Promise.resolve(args[1].slice()) : dispatch(name, args);
        })();
        """

    /// Runs the platform over the test's data folder and ends it.
    private func run(_ environment: [String: String] = [:], _ body: (RunningSupervisor) throws -> Void) throws {
        let supervisor = try RunningSupervisor(
            apps: [:], resources: probe.path, folder: folder, environment: environment)
        try body(supervisor)
        #expect(try supervisor.end() == 0)
    }

    /// What decrypting gives after a start.
    private func decryptAnew(_ envelope: String, _ environment: [String: String] = [:]) throws -> String {
        var answer = ""
        try run(environment) { answer = try decrypt($0, envelope) }
        return answer
    }

    /// `encrypt(name)` gives an envelope of the text "data" in hexadecimal digits, or why not.
    private func encrypt(_ supervisor: RunningSupervisor, _ name: String = "one") throws -> String {
        try text(
            supervisor,
            "(await __nativeCallDispatch('keystore_encrypt', ['\(name)', new TextEncoder().encode('data')])).toHex()")
    }

    private func decrypt(_ supervisor: RunningSupervisor, _ envelope: String, _ name: String = "one") throws -> String {
        try text(
            supervisor,
            "new TextDecoder().decode(await __nativeCallDispatch('keystore_decrypt', "
                + "['\(name)', Uint8Array.fromHex('\(envelope)')]))")
    }

    private func text(_ supervisor: RunningSupervisor, _ expression: String) throws -> String {
        try supervisor.evaluate(
            """
            try { return \(expression); } catch (e) {
                return [e.type, e.keyName, ...Object.keys(e).filter(k => e[k] === true && k !== 'runtimeException')].join(' ');
            }
            """
        ).string ?? "no text"
    }

    private func stores(_ supervisor: RunningSupervisor) throws -> [String] {
        try supervisor.client().ask(.status, as: StatusReply.self, within: .seconds(10)).keyStores
    }

    @Test func aServerWithoutSessionKeepsKeysInFiles() throws {
        var envelope = ""
        try run { supervisor in
            #expect(try stores(supervisor) == [])
            envelope = try encrypt(supervisor)
            #expect(try decrypt(supervisor, envelope) == "data")
            let line = try supervisor.line("key store in use")
            #expect(line.text.contains("store: file") && line.text.contains("reason: there is no session bus"))
            #expect(try stores(supervisor) == ["file"])
        }
        try run { supervisor in
            let own = try decrypt(supervisor, envelope)
            #expect(own == "data")
            #expect(try decrypt(supervisor, envelope, "other") == "keystore other keyLost")
            let changed = envelope.dropLast() + (envelope.hasSuffix("0") ? "1" : "0")
            #expect(try decrypt(supervisor, String(changed)) == "keystore one tampered")
            #expect(try decrypt(supervisor, String(envelope.dropLast(2))) == "keystore one truncated")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/keys").count == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/fs/keys"))
    }

    @Test func aBusWithoutServiceIsNoService() throws {
        let bus = try MessageBus()
        try run(["DBUS_SESSION_BUS_ADDRESS": bus.address]) { supervisor in
            #expect(try decrypt(supervisor, encrypt(supervisor)) == "data")
            #expect(try stores(supervisor) == ["file"])
            try supervisor.line("key store in use")
            // The end of the bus is not the platform's.
            try bus.end()
            #expect(try encrypt(supervisor, "two").count > 100)
        }
        try run(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]) { supervisor in
            let envelope = try encrypt(supervisor, "three")
            #expect(envelope.count > 100)
            #expect(try stores(supervisor) == ["file"])
        }
    }

    @Test func theSecretServiceKeepsKeys() throws {
        let service = try SecretServiceDaemon()
        var envelope = ""
        try run(service.environment) { supervisor in
            envelope = try encrypt(supervisor)
            #expect(try stores(supervisor) == ["secret-service"])
            #expect(try supervisor.line("key store in use").text.contains("store: secret-service"))
            #expect(try service.items.count == 1)
        }
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/keys").first)
        #expect(
            try Data(contentsOf: URL(filePath: "\(folder.path)/data/keys/\(file)")).count == 30, "no key is in there")
        #expect(try decryptAnew(envelope, service.environment) == "data")
        #expect(try decryptAnew(envelope) == "keystore one storeUnavailable")
        try run(service.environment) { supervisor in
            try service.lock()
            #expect(try decrypt(supervisor, envelope) == "keystore one storeLocked")
            #expect(try encrypt(supervisor, "new") == "keystore new storeLocked")
        }
        try service.end()
        try run(service.environment) { supervisor in
            #expect(try decrypt(supervisor, envelope) == "keystore one storeUnavailable")
            let again = try SecretServiceDaemon(after: service)
            #expect(try decrypt(supervisor, envelope) == "data", "the service is found again")
            #expect(try decrypt(supervisor, encrypt(supervisor, "new"), "new") == "data")
            try again.end()
            #expect(try decrypt(supervisor, envelope) == "data", "a key that is in use stays")
        }
        let last = try SecretServiceDaemon(after: service)
        try last.forget()
        #expect(try decryptAnew(envelope, last.environment) == "keystore one keyLost")
        try last.end()
    }

    @Test func aServiceThatHangsHoldsNothingUp() throws {
        let service = try SecretServiceDaemon()
        try run(service.environment) { supervisor in
            service.signal(SIGSTOP)
            let start = ContinuousClock.now
            let asked = Background { try encrypt(supervisor) }
            for _ in 0..<20 { #expect(try supervisor.evaluate("return 1;").int == 1) }
            #expect(!asked.isDone)
            #expect(try asked.value() == "keystore one storeUnavailable")
            #expect(ContinuousClock.now - start > .seconds(9) && ContinuousClock.now - start < .seconds(15))
            service.signal(SIGCONT)
            #expect(try decrypt(supervisor, encrypt(supervisor)) == "data")
            // And the platform ends while it waits.
            service.signal(SIGSTOP)
            _ = try supervisor.evaluate(
                "__nativeCallDispatch('keystore_encrypt', ['two', new Uint8Array(3)]).catch(() => {});")
        }
        service.signal(SIGCONT)
        try service.end()
    }
}
