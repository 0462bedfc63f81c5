import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Cryptography

/// With its keys in files.
@Suite final class KeystoreOnDisk {
    private let folder: TemporaryFolder
    private let fixture: KeystoreFixture
    private let data = Array("what nobody else is to read".utf8)

    init() throws {
        folder = try TemporaryFolder()
        fixture = try KeystoreFixture(in: folder)
    }

    deinit { fixture.end() }

    /// As after a restart.
    private func anew(_ body: (KeystoreFixture) throws -> Void) throws {
        let fixture = try KeystoreFixture(in: folder)
        defer { fixture.end() }
        try body(fixture)
    }

    @Test func keepsItsKeysFromOneStartToTheNext() throws {
        let (one, other) = (try fixture.encrypt(data), try fixture.encrypt(data, "other"))
        #expect(try fixture.decrypt(one) == data)
        try anew { fixture in
            let (first, second) = (try fixture.decrypt(one), try fixture.decrypt(other, "other"))
            #expect(first == data && second == data)
            #expect(fixture.uses == [Keystore.Use(store: .file, reason: nil)])
        }
        #expect(fixture.uses == [Keystore.Use(store: .file, reason: "there is no session bus")])
    }

    @Test func keepsThemFromOthers() throws {
        _ = try fixture.encrypt(data)
        #expect(mode(folder.path + "/keys") == 0o700)
        #expect(mode(fixture.path()) == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/keys")
        #expect(names.count == 1 && fixture.path().hasSuffix(names[0]))
    }

    @Test func whatIsEncryptedDecrypts() throws {
        var random = SeededRandom(seed: SeededRandom.seed(for: "whatIsEncryptedDecrypts"))
        for size in [0, 1, Keystore.mostAtOnce, Keystore.mostAtOnce + 1, 1 << 20] {
            let data = random.bytes(size)
            let (one, again) = (try fixture.encrypt(data), try fixture.encrypt(data))
            #expect(one != again && one.count == size + KeyEnvelope.overhead)
            #expect(try fixture.decrypt(one) == data)
        }
    }

    @Test func aChangeOfAnyBitIsSeen() throws {
        let envelope = try fixture.encrypt(data)
        for index in envelope.indices {
            for bit in 0..<8 {
                var changed = envelope
                changed[index] ^= 1 << bit
                #expect(fixture.reason(changed) == .tampered, "bit \(bit) of byte \(index)")
            }
        }
        #expect(fixture.reason(envelope + [0]) == .tampered)
        #expect(fixture.reason(Array("no envelope".utf8)) == .tampered)
    }

    @Test func aMissingEndIsSeen() throws {
        let envelope = try fixture.encrypt(data)
        for count in 0..<envelope.count {
            #expect(fixture.reason(Array(envelope.prefix(count))) == .truncated, "\(count) bytes")
        }
    }

    @Test func aKeyOfAnotherNameIsAnother() throws {
        let envelope = try fixture.encrypt(data)
        #expect(fixture.reason(envelope, "other") == .keyLost)
        _ = try fixture.encrypt(data, "other")
        #expect(fixture.reason(envelope, "other") == .keyLost)
    }

    @Test func tellsALostKeyAndMakesNoOtherForIt() throws {
        let envelope = try fixture.encrypt(data)
        let path = fixture.path()
        unlink(path)
        try anew { fixture in
            #expect(fixture.reason(envelope) == .keyLost)
            #expect(access(path, F_OK) != 0, "nothing is made for decrypting")
            _ = try fixture.encrypt(data)
            let message = fixture.error(envelope)?.description ?? ""
            #expect(
                message.hasPrefix("key \"one\": key ")
                    && message.contains(" encrypted this, and the one of this name is "))
        }
    }

    @Test func refusesAFileThatIsNoKeys() throws {
        let envelope = try fixture.encrypt(data)
        let path = fixture.path()
        let good = try Data(contentsOf: URL(filePath: path))
        var wrong = [Data(), good.prefix(10), good.prefix(30), good.dropLast(), good + Data([0]), good + good]
        wrong += (0..<good.count).map { index in
            var changed = good
            changed[index] ^= 0x10
            return changed
        }
        for content in wrong {
            try content.write(to: URL(filePath: path))
            chmod(path, 0o600)
            try anew { fixture in
                #expect(fixture.reason(envelope) == .keyDamaged)
                #expect(throws: KeystoreError.self) { try fixture.encrypt(data) }
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == content, "nothing was put in its place")
        }
        try good.write(to: URL(filePath: path))
        chmod(path, 0o600)
        try anew { #expect($0.reason(envelope) == nil) }
    }

    @Test func refusesWhatIsNoFile() throws {
        let envelope = try fixture.encrypt(data)
        let path = fixture.path()
        let moved = folder.path + "/moved"
        rename(path, moved)
        symlink(moved, path)
        try anew { #expect($0.reason(envelope) == .keyDamaged) }
        unlink(path)
        mkfifo(path, 0o600)
        try anew { #expect($0.reason(envelope) == .keyDamaged) }
        unlink(path)
        mkdir(path, 0o700)
        try anew { #expect($0.reason(envelope) == .keyDamaged) }
    }

    @Test func refusesWhatOthersMayRead() throws {
        let envelope = try fixture.encrypt(data)
        let path = fixture.path()
        chmod(path, 0o640)
        try anew { fixture in
            let text =
                "key \"one\": \(path) has mode 640, which lets others in; if nobody has read it, `chmod 600 \(path)`"
            #expect(fixture.error(envelope)?.reason == .keyExposed)
            #expect(fixture.error(envelope)?.description == text)
        }
        chmod(path, 0o600)
        chmod(folder.path + "/keys", 0o755)
        try anew { #expect($0.reason(envelope) == .keyExposed) }
        chmod(folder.path + "/keys", 0o700)
        try anew { #expect($0.reason(envelope) == nil) }
    }

    @Test func saysWhatItCannotWrite() throws {
        try Data().write(to: URL(filePath: folder.path + "/keys"))
        let error = #expect(throws: KeystoreError.self) { try fixture.encrypt(data) }
        #expect(error?.reason == .storeFailed)
        #expect(error?.description == "key \"one\": the folder \(folder.path)/keys cannot be opened: Not a directory")
    }

    @Test func aDraftLeftBehindIsInNobodysWay() throws {
        mkdir(folder.path + "/keys", 0o700)
        try Data("half".utf8).write(to: URL(filePath: folder.path + "/keys/new"))
        #expect(try fixture.decrypt(fixture.encrypt(data)) == data)
        #expect(access(folder.path + "/keys/new", F_OK) != 0)
    }

    @Test func requestsForOneKeyAtOnceMakeOneKey() throws {
        var results: [Result<ResultBytes, KeystoreError>] = []
        for _ in 0..<20 { fixture.keystore.encrypt(input(data), name: "one") { results.append($0) } }
        fixture.keystore.decrypt(input(try fixtureEnvelope()), name: "one") { results.append($0) }
        while results.count < 21 { fixture.loop.runOnce() }
        for case .success(let envelope) in results { #expect(try fixture.decrypt(envelope.array) == data) }
        #expect(results.count { if case .failure(let error) = $0 { error.reason == .keyLost } else { false } } == 1)
    }

    @Test func keysThatAreMadeAtOnceAreKeptEachForItself() throws {
        var results: [String: Result<ResultBytes, KeystoreError>] = [:]
        let names = (0..<40).map { "key \($0)" }
        for name in names { fixture.keystore.encrypt(input(data), name: name) { results[name] = $0 } }
        while results.count < names.count { fixture.loop.runOnce() }
        try anew { fixture in
            for (name, result) in results {
                let envelope = try result.get().array
                #expect(try fixture.decrypt(envelope, name) == data)
            }
        }
    }

    /// Encrypted by another device.
    private func fixtureEnvelope() throws -> [UInt8] {
        let elsewhere = try KeystoreFixture(in: try TemporaryFolder())
        defer { elsewhere.end() }
        return try elsewhere.encrypt(data)
    }

    @Test func closedItAnswersNothingMore() throws {
        var answers = 0
        fixture.keystore.encrypt(input(data), name: "one") { _ in answers += 1 }
        fixture.keystore.close()
        fixture.loop.run()
        #expect(answers == 0)
        #expect(fixture.reason([UInt8]("chks".utf8)) == .truncated)
        #expect(throws: KeystoreError(.stopped, "one", "the key store has been closed")) { try fixture.encrypt(data) }
    }
}
