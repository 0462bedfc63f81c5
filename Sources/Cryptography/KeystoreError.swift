/// Why a key store did not encrypt or decrypt.
public struct KeystoreError: Error, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable, CaseIterable {
        /// What was to be decrypted was changed, or is nothing that this key store made.
        case tampered
        /// Its end is missing.
        case truncated
        /// The key that it was encrypted with is not kept any more.
        case keyLost
        /// The key's file is there and cannot be a key's.
        case keyDamaged
        /// Others than its owner may read or replace the key's file.
        case keyExposed
        case storeLocked
        /// The store that keeps the key does not answer, or has gone.
        case storeUnavailable
        /// The store refused; `message` has its words.
        case storeFailed
        case outOfMemory
        /// The key store was closed meanwhile.
        case stopped
    }

    public let reason: Reason
    public let keyName: String
    public let message: String

    public init(_ reason: Reason, _ keyName: String, _ message: String) {
        self.reason = reason
        self.keyName = keyName
        self.message = message
    }

    public var description: String { "key \"\(keyName)\": \(message)" }
}
