internal import CSodium

/// NaCl's box: a secret box whose key two Curve25519 key pairs agree on. Callers have checked the lengths.
public enum PublicBox {
    public static let publicKeyLength = Int(crypto_box_PUBLICKEYBYTES)
    public static let secretKeyLength = Int(crypto_box_SECRETKEYBYTES)

    public static func keyPair() throws(CryptorError) -> KeyPair {
        let pair = KeyPair(
            publicKey: try ResultBytes(count: publicKeyLength), secretKey: try ResultBytes(count: secretKeyLength))
        let code = crypto_box_keypair(pair.publicKey.pointer, pair.secretKey.pointer)
        precondition(code == 0, "crypto_box_keypair gave \(code)")
        return pair
    }

    /// The public key that belongs to a secret one.
    public static func publicKey(of secretKey: InputBytes) throws(CryptorError) -> ResultBytes {
        let result = try ResultBytes(count: publicKeyLength)
        let code = crypto_scalarmult_base(result.pointer, secretKey.pointer)
        precondition(code == 0, "crypto_scalarmult_base gave \(code)")
        return result
    }

    /// The key that both sides' secret boxes have: NaCl's `crypto_box_beforenm`.
    public static func sharedKey(
        publicKey: InputBytes, secretKey: InputBytes
    ) throws(CryptorError) -> ResultBytes {
        let result = try ResultBytes(count: SecretBox.keyLength)
        guard crypto_box_beforenm(result.pointer, publicKey.pointer, secretKey.pointer) == 0 else {
            throw .weakPublicKey
        }
        return result
    }

    public static func pack(
        _ message: InputBytes, nonce: InputBytes, publicKey: InputBytes, secretKey: InputBytes
    ) throws(CryptorError) -> ResultBytes {
        let shared = try sharedKey(publicKey: publicKey, secretKey: secretKey)
        return try withExtendedLifetime(shared) { () throws(CryptorError) in
            try SecretBox.pack(message, nonce: nonce, key: InputBytes(inPlace: shared.bytes))
        }
    }

    public static func open(
        _ box: InputBytes, nonce: InputBytes, publicKey: InputBytes, secretKey: InputBytes
    ) throws(CryptorError) -> ResultBytes {
        let shared = try sharedKey(publicKey: publicKey, secretKey: secretKey)
        return try withExtendedLifetime(shared) { () throws(CryptorError) in
            try SecretBox.open(box, nonce: nonce, key: InputBytes(inPlace: shared.bytes))
        }
    }
}

public struct KeyPair: Sendable {
    public let publicKey: ResultBytes
    public let secretKey: ResultBytes
}
