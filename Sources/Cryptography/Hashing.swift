internal import CSodium

/// SHA-256 (FIPS 180-4).
public enum Hashing {
    public static let length = Int(crypto_hash_sha256_BYTES)

    public static func sha256(of message: InputBytes) throws(CryptorError) -> ResultBytes {
        let result = try ResultBytes(count: length)
        let code = crypto_hash_sha256(result.pointer, message.pointer, UInt64(message.count))
        precondition(code == 0, "crypto_hash_sha256 gave \(code)")
        return result
    }
}
