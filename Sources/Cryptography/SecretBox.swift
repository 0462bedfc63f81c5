internal import CSodium

/// NaCl's secret box, XSalsa20 and Poly1305, in the combined form: 16 bytes of authenticator, then the encrypted message.
///
/// Callers have checked the lengths of keys and nonces.
public enum SecretBox {
    public static let keyLength = Int(crypto_secretbox_KEYBYTES)
    public static let nonceLength = Int(crypto_secretbox_NONCEBYTES)
    /// What a box has beside the message.
    public static let overhead = Int(crypto_secretbox_MACBYTES)

    /// - Parameter withNonce: the nonce stands in front of the box.
    public static func pack(
        _ message: InputBytes, nonce: InputBytes, key: InputBytes, withNonce: Bool = false
    ) throws(CryptorError) -> ResultBytes {
        let prefix = withNonce ? nonceLength : 0
        let result = try ResultBytes(count: prefix + overhead + message.count)
        if withNonce { result.pointer.update(from: nonce.pointer, count: nonceLength) }
        let code = crypto_secretbox_easy(
            result.pointer + prefix, message.pointer, UInt64(message.count), nonce.pointer, key.pointer)
        precondition(code == 0, "crypto_secretbox_easy gave \(code)")
        return result
    }

    public static func open(
        _ box: InputBytes, nonce: InputBytes, key: InputBytes
    ) throws(CryptorError) -> ResultBytes {
        try open(box.pointer, box.count, nonce: nonce.pointer, key: key)
    }

    /// Opens what has its nonce in front.
    public static func open(withNonce box: InputBytes, key: InputBytes) throws(CryptorError) -> ResultBytes {
        guard box.count >= nonceLength else { throw .failedVerification(bytes: box.count) }
        return try open(box.pointer + nonceLength, box.count - nonceLength, nonce: box.pointer, key: key)
    }

    private static func open(
        _ box: UnsafePointer<UInt8>, _ count: Int, nonce: UnsafePointer<UInt8>, key: InputBytes
    ) throws(CryptorError) -> ResultBytes {
        guard count >= overhead else { throw .failedVerification(bytes: count) }
        let result = try ResultBytes(count: count - overhead)
        guard crypto_secretbox_open_easy(result.pointer, box, UInt64(count), nonce, key.pointer) == 0 else {
            throw .failedVerification(bytes: count)
        }
        return result
    }
}
