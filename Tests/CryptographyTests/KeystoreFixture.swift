import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Cryptography

/// A key store in a folder of the test's own, on a loop of the test's thread.
final class KeystoreFixture {
    let folder: TemporaryFolder
    let loop: Loop
    let pool: CryptorPool
    let keystore: Keystore
    private(set) var uses: [Keystore.Use] = []

    init(in folder: TemporaryFolder, vault: (any SecretVault)? = nil) throws {
        self.folder = folder
        loop = try Loop()
        pool = CryptorPool(on: loop, threads: 2)
        let told = Told()
        keystore = Keystore(
            folder: folder.path + "/keys", vault: vault, pool: pool, on: loop, used: { told.fixture?.uses.append($0) })
        told.fixture = self
    }

    private final class Told {
        weak var fixture: KeystoreFixture?
    }

    func end() {
        keystore.close()
        pool.close()
        loop.close()
    }

    func encrypt(_ data: [UInt8], _ name: String = "one") throws -> [UInt8] {
        try settle { keystore.encrypt(input(data), name: name, done: $0) }
    }

    func decrypt(_ data: [UInt8], _ name: String = "one") throws -> [UInt8] {
        try settle { keystore.decrypt(input(data), name: name, done: $0) }
    }

    /// Why decrypting fails; nil if it does not.
    func reason(_ data: [UInt8], _ name: String = "one") -> KeystoreError.Reason? { error(data, name)?.reason }

    func error(_ data: [UInt8], _ name: String = "one") -> KeystoreError? {
        do throws(KeystoreError) {
            _ = try settle { keystore.decrypt(input(data), name: name, done: $0) }
            return nil
        } catch {
            return error
        }
    }

    /// Why encrypting fails; nil if it does not.
    func reasonOfEncrypting(_ data: [UInt8], _ name: String = "one") -> KeystoreError.Reason? {
        do throws(KeystoreError) {
            _ = try settle { keystore.encrypt(input(data), name: name, done: $0) }
            return nil
        } catch {
            return error.reason
        }
    }

    private func settle(
        _ start: (@escaping (Result<ResultBytes, KeystoreError>) -> Void) -> Void
    ) throws(KeystoreError) -> [UInt8] {
        var result: Result<ResultBytes, KeystoreError>?
        start { result = $0 }
        while result == nil { loop.runOnce() }
        guard let result else { preconditionFailure("no result") }
        return try result.get().array
    }

    /// Of the key's file.
    func path(_ name: String = "one") -> String {
        "\(folder.path)/keys/\(KeyFolder(path: "").file(of: name))"
    }
}

func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
}
