internal import CSodium

/// BLAKE2b (RFC 7693) with a key: who does not have the key can neither compute nor tell from random what it gives.
/// Callers have checked the lengths.
public enum KeyedHash {
    public static let keyLength = Int(crypto_generichash_KEYBYTES)
    public static let lengthRange = Int(crypto_generichash_BYTES_MIN)...Int(crypto_generichash_BYTES_MAX)

    public static func digest(_ message: InputBytes, key: InputBytes, count: Int) throws(CryptorError) -> ResultBytes {
        let result = try ResultBytes(count: count)
        let code = crypto_generichash(
            result.pointer, count, message.pointer, UInt64(message.count), key.pointer, key.count)
        precondition(code == 0, "crypto_generichash gave \(code)")
        return result
    }
}
