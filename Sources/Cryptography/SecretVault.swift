/// A store for keys that somebody else keeps: the Secret Service, or a stand-in. Used on the loop's thread; answers come
/// there, at most once, and within a time.
protocol SecretVault: AnyObject {
    func store(_ key: StoredKey, name: String, done: @escaping (Result<Void, VaultFailure>) -> Void)

    /// Nil where the vault has no such key.
    func find(id: [UInt8], done: @escaping (Result<StoredKey?, VaultFailure>) -> Void)

    /// Nothing is answered any more.
    func close()
}

enum VaultFailure: Error, Equatable {
    /// There is none on this machine, or none that can keep anything.
    case absent(String)
    case locked
    /// It is there, and does not answer or has gone.
    case silent(String)
    case failed(String)
}
