public import EventLoop

/// Encrypts and decrypts with keys that never leave it: one per name, made on first use. A key is kept by the Secret Service
/// where there is one when it is made, else in a file of the key folder; where it is, it stays.
///
/// Lives on its loop's thread. What waits for the disk or the Secret Service is answered there later.
public final class Keystore {
    public enum Store: String, Sendable, CaseIterable {
        case secretService = "secret-service"
        case file
    }

    /// Where a key is kept, told when the first of its store is used.
    public struct Use: Sendable, Equatable {
        public let store: Store
        /// Why it is not the Secret Service, where it could have been.
        public let reason: String?
    }

    public static let longestName = 256
    /// Data up to so many bytes is encrypted on the loop's thread.
    static let mostAtOnce = 16 << 10

    private struct Request {
        let mayCreate: Bool
        let done: (Result<StoredKey, KeystoreError>) -> Void
    }

    private let folder: KeyFolder
    private let vault: (any SecretVault)?
    private let pool: CryptorPool
    private let loop: Loop
    private let used: (Use) -> Void
    private var keys: [String: StoredKey] = [:]
    /// Requests for keys that are being looked for.
    private var requests: [String: [Request]] = [:]
    private var stores: Set<Store> = []
    private var isClosed = false

    /// With the Secret Service of the session bus, if there is such a bus.
    ///
    /// - Parameters:
    ///   - folder: made when the first key is.
    ///   - used: told once per store.
    public convenience init(
        folder: String, pool: CryptorPool, on loop: Loop, used: @escaping (Use) -> Void
    ) {
        let vault = SecretServiceVault.hasSessionBus ? SecretServiceVault(on: loop) : nil
        self.init(folder: folder, vault: vault, pool: pool, on: loop, used: used)
    }

    /// Keeps its keys in files of `folder`, whatever the session bus has.
    public convenience init(inFilesOf folder: String, pool: CryptorPool, on loop: Loop) {
        self.init(folder: folder, vault: nil, pool: pool, on: loop, used: { _ in })
    }

    init(
        folder: String, vault: (any SecretVault)?, pool: CryptorPool, on loop: Loop, used: @escaping (Use) -> Void
    ) {
        self.folder = KeyFolder(path: folder)
        self.vault = vault
        self.pool = pool
        self.loop = loop
        self.used = used
    }

    deinit { close() }

    /// Gives up what is under way, and wipes the keys. To be called before the pool is closed.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        vault?.close()
        keys = [:]
        requests = [:]
    }

    // MARK: Use

    public func encrypt(
        _ data: InputBytes, name: String, done: @escaping (Result<ResultBytes, KeystoreError>) -> Void
    ) {
        key(name, mayCreate: true) { [weak self] key in
            guard let self else { return }
            switch key {
            case .failure(let error): done(.failure(error))
            case .success(let key):
                compute(data, name, done) { () throws(KeystoreError) in
                    do throws(CryptorError) {
                        return try KeyEnvelope.seal(data, key, name: name)
                    } catch {
                        throw KeystoreError(.outOfMemory, name, "\(error)")
                    }
                }
            }
        }
    }

    public func decrypt(
        _ envelope: InputBytes, name: String, done: @escaping (Result<ResultBytes, KeystoreError>) -> Void
    ) {
        let opened: KeyEnvelope.Opened
        do throws(KeystoreError) {
            opened = try KeyEnvelope.examine(envelope, name: name)
        } catch {
            done(.failure(error))
            return
        }
        key(name, mayCreate: false) { [weak self] key in
            guard let self else { return }
            switch key {
            case .failure(let error): done(.failure(error))
            case .success(let key):
                guard key.id == opened.keyID else {
                    let other =
                        "key \(hexadecimal(opened.keyID)) encrypted this, and the one of this name is \(key.idText)"
                    done(.failure(KeystoreError(.keyLost, name, other)))
                    return
                }
                compute(envelope, name, done) { () throws(KeystoreError) in
                    try KeyEnvelope.open(envelope, opened, key, name: name)
                }
            }
        }
    }

    private func compute(
        _ data: InputBytes, _ name: String, _ done: @escaping (Result<ResultBytes, KeystoreError>) -> Void,
        _ body: @escaping @Sendable () throws(KeystoreError) -> ResultBytes
    ) {
        if data.count <= Self.mostAtOnce {
            done(Result(catching: body))
            return
        }
        do throws(CryptorError) {
            try pool.run({ Result(catching: body) }) { result in
                done(result.mapError { KeystoreError(.stopped, name, "\($0)") }.flatMap { $0 })
            }
        } catch {
            done(.failure(KeystoreError(error == .stopped ? .stopped : .outOfMemory, name, "\(error)")))
        }
    }

    // MARK: Keys

    private func key(
        _ name: String, mayCreate: Bool, done: @escaping (Result<StoredKey, KeystoreError>) -> Void
    ) {
        loop.requireCurrent()
        if isClosed {
            done(.failure(KeystoreError(.stopped, name, "the key store has been closed")))
            return
        }
        if let key = keys[name] {
            done(.success(key))
            return
        }
        let isUnderWay = requests[name] != nil
        requests[name, default: []].append(Request(mayCreate: mayCreate, done: done))
        if isUnderWay { return }
        loop.work({ [folder] in
            Result { () throws(KeystoreError) in try folder.read(name) }
        }) { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .failure(let error): settle(name, .failure(error))
            case .success(nil): missing(name)
            case .success(.here(let key)): found(name, key, Use(store: .file, reason: nil))
            case .success(.inService(let id)): find(name, id)
            }
        }
    }

    private func find(_ name: String, _ id: [UInt8]) {
        guard let vault else {
            let error = "the Secret Service keeps it, and there is no session bus to ask it by"
            settle(name, .failure(KeystoreError(.storeUnavailable, name, error)))
            return
        }
        vault.find(id: id) { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .success(let key?): found(name, key, Use(store: .secretService, reason: nil))
            case .success(nil):
                let error = "the Secret Service no longer has key \(hexadecimal(id))"
                settle(name, .failure(KeystoreError(.keyLost, name, error)))
            case .failure(let failure): settle(name, .failure(failure.error(name)))
            }
        }
    }

    /// No key of this name: one is made if somebody wants to encrypt with it.
    private func missing(_ name: String) {
        let all = requests[name] ?? []
        requests[name] = all.filter(\.mayCreate)
        let create = requests[name]?.isEmpty == false
        if !create { requests[name] = nil }
        for request in all where !request.mayCreate {
            request.done(.failure(KeystoreError(.keyLost, name, "no key of this name is kept")))
        }
        if create { make(name) }
    }

    private func make(_ name: String) {
        let key: StoredKey
        do throws(CryptorError) {
            key = try StoredKey()
        } catch {
            settle(name, .failure(KeystoreError(.outOfMemory, name, "\(error)")))
            return
        }
        guard let vault else {
            keep(name, key, .here(key), Use(store: .file, reason: "there is no session bus"))
            return
        }
        vault.store(key, name: name) { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .success: keep(name, key, .inService(id: key.id), Use(store: .secretService, reason: nil))
            case .failure(.absent(let reason)): keep(name, key, .here(key), Use(store: .file, reason: reason))
            case .failure(let failure): settle(name, .failure(failure.error(name)))
            }
        }
    }

    private func keep(_ name: String, _ key: StoredKey, _ record: KeyRecord, _ use: Use) {
        loop.work({ [folder] in
            Result { () throws(KeystoreError) in try folder.write(record, for: name) }
        }) { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .success: found(name, key, use)
            case .failure(let error): settle(name, .failure(error))
            }
        }
    }

    private func found(_ name: String, _ key: StoredKey, _ use: Use) {
        keys[name] = key
        if stores.insert(use.store).inserted { used(use) }
        settle(name, .success(key))
    }

    private func settle(_ name: String, _ result: Result<StoredKey, KeystoreError>) {
        for request in requests.removeValue(forKey: name) ?? [] { request.done(result) }
    }
}

extension VaultFailure {
    fileprivate func error(_ name: String) -> KeystoreError {
        switch self {
        case .absent(let reason):
            KeystoreError(.storeUnavailable, name, "the Secret Service keeps it, and is not there: \(reason)")
        case .locked:
            KeystoreError(
                .storeLocked, name,
                "the Secret Service's collection is locked; unlock it (log in to the desktop, or "
                    + "use its password manager), then try again")
        case .silent(let reason): KeystoreError(.storeUnavailable, name, "the Secret Service: \(reason)")
        case .failed(let reason): KeystoreError(.storeFailed, name, "the Secret Service: \(reason)")
        }
    }
}
