import TestSupport
import Testing

@testable import Cryptography

/// Stands for the Secret Service: keeps keys, and fails as it is told.
private final class FakeVault: SecretVault {
    var keys: [[UInt8]: StoredKey] = [:]
    var failure: VaultFailure?

    func store(_ key: StoredKey, name: String, done: @escaping (Result<Void, VaultFailure>) -> Void) {
        if let failure {
            done(.failure(failure))
            return
        }
        keys[key.id] = key
        done(.success(()))
    }

    func find(id: [UInt8], done: @escaping (Result<StoredKey?, VaultFailure>) -> Void) {
        done(failure.map { .failure($0) } ?? .success(keys[id]))
    }

    func close() {}
}

/// Which store a key is made in, and what happens when that store is not as it was.
@Suite struct KeyVaults {
    private let folder: TemporaryFolder
    private let vault = FakeVault()
    private let data = Array("data".utf8)

    init() throws { folder = try TemporaryFolder() }

    private func with(_ vault: FakeVault?, _ body: (KeystoreFixture) throws -> Void) throws {
        let fixture = try KeystoreFixture(in: folder, vault: vault)
        defer { fixture.end() }
        try body(fixture)
    }

    /// Encrypted with a key that is made for it.
    private func envelope(_ vault: FakeVault?) throws -> [UInt8] {
        var envelope: [UInt8] = []
        try with(vault) { envelope = try $0.encrypt(data) }
        return envelope
    }

    @Test func theServiceKeepsAKeyWhereThereIsOne() throws {
        var envelope: [UInt8] = []
        try with(vault) { fixture in
            envelope = try fixture.encrypt(data)
            #expect(fixture.uses == [Keystore.Use(store: .secretService, reason: nil)])
        }
        #expect(vault.keys.count == 1)
        try with(vault) { #expect($0.reason(envelope) == nil) }
        try with(nil) { fixture in
            let text = "key \"one\": the Secret Service keeps it, and there is no session bus to ask it by"
            #expect(fixture.error(envelope)?.description == text)
            #expect(fixture.reasonOfEncrypting(data) == .storeUnavailable)
        }
        #expect(vault.keys.count == 1)
    }

    @Test func aKeyInAFileStaysThereWhenAServiceAppears() throws {
        let envelope = try envelope(nil)
        try with(vault) { fixture in
            #expect(fixture.reason(envelope) == nil)
            let own = try fixture.encrypt(data)
            #expect(fixture.reason(own) == nil)
            _ = try fixture.encrypt(data, "other")
            #expect(fixture.uses.map(\.store) == [.file, .secretService])
        }
        #expect(vault.keys.count == 1)
    }

    @Test func withoutAServiceOnTheBusKeysAreInFiles() throws {
        vault.failure = .absent("no Secret Service on the session bus")
        try with(vault) { fixture in
            let own = try fixture.encrypt(data)
            #expect(fixture.reason(own) == nil)
            #expect(fixture.uses == [Keystore.Use(store: .file, reason: "no Secret Service on the session bus")])
        }
    }

    static let failures: [(VaultFailure, KeystoreError.Reason)] = [
        (.locked, .storeLocked), (.silent("no answer within 10 s"), .storeUnavailable), (.failed("no"), .storeFailed),
    ]

    @Test(arguments: failures) func noKeyIsMadeElsewhereWhenTheServiceFails(
        _ failure: VaultFailure, _ reason: KeystoreError.Reason
    ) throws {
        let envelope = try envelope(vault)
        vault.failure = failure
        try with(vault) { fixture in
            #expect(fixture.reason(envelope) == reason)
            #expect(fixture.reasonOfEncrypting(data) == reason)
            #expect(fixture.reasonOfEncrypting(data, "new") == reason)
            vault.failure = nil
            #expect(fixture.reason(envelope) == nil, "it is asked again")
        }
    }

    @Test func aKeyThatTheServiceNoLongerHasIsLost() throws {
        let envelope = try envelope(vault)
        vault.keys = [:]
        try with(vault) { fixture in
            #expect(fixture.reason(envelope) == .keyLost)
            #expect(fixture.reasonOfEncrypting(data) == .keyLost)
        }
    }
}
