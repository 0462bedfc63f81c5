internal import CSodium

/// Ed25519 signatures beside the message (RFC 8032). A secret key is the seed, then the public key, as NaCl has it.
/// Callers have checked the lengths.
public enum Signing {
    public static let seedLength = Int(crypto_sign_SEEDBYTES)
    public static let publicKeyLength = Int(crypto_sign_PUBLICKEYBYTES)
    public static let secretKeyLength = Int(crypto_sign_SECRETKEYBYTES)
    public static let signatureLength = Int(crypto_sign_BYTES)

    public static func keyPair(seed: InputBytes) throws(CryptorError) -> KeyPair {
        let pair = KeyPair(
            publicKey: try ResultBytes(count: publicKeyLength), secretKey: try ResultBytes(count: secretKeyLength))
        let code = crypto_sign_seed_keypair(pair.publicKey.pointer, pair.secretKey.pointer, seed.pointer)
        precondition(code == 0, "crypto_sign_seed_keypair gave \(code)")
        return pair
    }

    public static func signature(of message: InputBytes, secretKey: InputBytes) throws(CryptorError) -> ResultBytes {
        let result = try ResultBytes(count: signatureLength)
        let code = crypto_sign_detached(
            result.pointer, nil, message.pointer, UInt64(message.count), secretKey.pointer)
        precondition(code == 0, "crypto_sign_detached gave \(code)")
        return result
    }

    public static func verify(_ signature: InputBytes, of message: InputBytes, publicKey: InputBytes) -> Bool {
        crypto_sign_verify_detached(
            signature.pointer, message.pointer, UInt64(message.count), publicKey.pointer) == 0
    }
}
