internal import Cryptography
internal import JSEngine

/// The cryptor group as declared. `k` is a key, `n` a nonce, `m` a message, `c` what it was packed to; `sk` and `pk` are a
/// secret and a public key.
enum CryptorPorts {
    private static let m = PortSignature.Parameter("m", .bytes)
    private static let c = PortSignature.Parameter("c", .bytes)
    private static let n = PortSignature.Parameter("n", .bytes)
    private static let k = PortSignature.Parameter("k", .bytes)
    private static let pk = PortSignature.Parameter("pk", .bytes)
    private static let sk = PortSignature.Parameter("sk", .bytes)
    private static let bytes = "promise of `Uint8Array`"
    private static let whenFull = "`cryptor`: `busy`, `outOfMemory`, `noThread`"
    private static let whenClosed = "`cryptor`: `failedCipherVerification`, `busy`, `outOfMemory`, `noThread`"

    static let packSecretBox = PortSignature(
        "nacl_sbox_pack", [m, n, k], gives: bytes, throws: whenFull,
        "NaCl's secret box (XSalsa20, Poly1305), combined: 16 bytes of authenticator, then the message. `n` has 24 bytes, "
            + "`k` 32.")
    static let openSecretBox = PortSignature(
        "nacl_sbox_open", [c, n, k], gives: bytes, throws: whenClosed, "The message of `nacl_sbox_pack`.")
    static let packSecretBoxWithNonce = PortSignature(
        "nacl_sbox_packWN", [m, n, k], gives: bytes, throws: whenFull, "The same with the nonce in front.")
    static let openSecretBoxWithNonce = PortSignature(
        "nacl_sbox_openWN", [c, k], gives: bytes, throws: whenClosed, "The message of `nacl_sbox_packWN`.")

    private static let pieceLength = PortSignature.Parameter("pieceLength", .whole(SealedPieces.lengths))
    private static let first = PortSignature.Parameter("first", .whole(0...PortSignature.Kind.largest))
    static let sealPieces = PortSignature(
        "pieces_seal", [m, k, pieceLength, first], gives: bytes, throws: whenFull,
        "Each `pieceLength` bytes of `m`, the last ones perhaps fewer, sealed by ChaCha20-Poly1305 (RFC 8439), one behind "
            + "the other, each with its tag of 16 bytes. The nonce of a piece is its number, that of the first one `first`; "
            + "`k` has 32 bytes and seals nothing else.")
    static let openPieces = PortSignature(
        "pieces_open", [c, k, pieceLength, first, .init("room", .whole(0...65536), isOptional: true)],
        gives: bytes, throws: whenClosed,
        "The message of `pieces_seal` behind `room` bytes, by default none, that are left free. All threads of the group "
            + "work on it.")

    static let boxKeyPair = PortSignature(
        "nacl_box_keypair", gives: "promise of `{skey, pkey}`", throws: whenFull,
        "A new Curve25519 key pair of 32 bytes each.")
    static let boxPublicKey = PortSignature(
        "nacl_box_publicKey", [sk], gives: bytes, throws: whenFull, "The public key of a secret one.")
    static let boxSharedKey = PortSignature(
        "nacl_box_sharedKey", [pk, sk], gives: bytes, throws: whenFull + ", `weakPublicKey`",
        "The secret box's key that two key pairs agree on (NaCl's `crypto_box_beforenm`).")
    static let packBox = PortSignature(
        "nacl_box_pack", [m, n, pk, sk], gives: bytes, throws: whenFull + ", `weakPublicKey`",
        "NaCl's box: the secret box under that key.")
    static let openBox = PortSignature(
        "nacl_box_open", [c, n, pk, sk], gives: bytes, throws: whenClosed + ", `weakPublicKey`",
        "The message of `nacl_box_pack`.")

    static let signingKeyPair = PortSignature(
        "nacl_sign_keypair", [.init("seed", .bytes)], gives: "promise of `{skey, pkey}`", throws: whenFull,
        "The Ed25519 key pair of a seed of 32 bytes; `skey` is the seed, then `pkey`: 64 bytes.")
    static let signature = PortSignature(
        "nacl_sign_signature", [m, sk], gives: bytes, throws: whenFull, "The signature, 64 bytes, without the message.")
    static let verify = PortSignature(
        "nacl_sign_verify", [.init("sig", .bytes), m, pk], gives: "promise of a boolean", throws: whenFull,
        "Whether it is the message's signature by that key.")

    static let keyedHash = PortSignature(
        "nacl_hash_keyed", [m, k, .init("length", .whole(KeyedHash.lengthRange))], gives: bytes, throws: whenFull,
        "BLAKE2b (RFC 7693) with a key of 32 bytes, `length` bytes of it; not NaCl's, but libsodium's "
            + "`crypto_generichash`.")
    static let sha256 = PortSignature(
        "nacl_hash_sha256", [m], gives: bytes, throws: whenFull, "The SHA-256 hash (FIPS 180-4), 32 bytes.")

    static let scrypt = PortSignature(
        "nacl_scrypt",
        [
            .init("passwd", .bytes), .init("salt", .bytes), .init("logN", .whole(Scrypt.Parameters.logNRange)),
            .init("r", .whole(Scrypt.Parameters.factorRange)), .init("p", .whole(Scrypt.Parameters.factorRange)),
            .init("dkLen", .whole(Scrypt.Parameters.lengthRange)), .init("progress", .function, isOptional: true),
        ], gives: bytes, throws: whenFull,
        "scrypt (RFC 7914) with 2^`logN`: at most 1 GiB of memory, and 2^`logN` × `r` × `p` at most 2^27. `progress` is "
            + "called with whole percentages, each once, 100 at the end.")
    static let threads = PortSignature(
        "nacl_threads", gives: "a number", "Threads that long computations of this group run on.")

    static let group = PortGroup(
        "Cryptor",
        [
            packSecretBox, openSecretBox, packSecretBoxWithNonce, openSecretBoxWithNonce, sealPieces, openPieces,
            boxKeyPair, boxPublicKey, boxSharedKey, packBox, openBox, signingKeyPair, signature, verify, keyedHash,
            sha256, scrypt,
            threads,
        ])
}
