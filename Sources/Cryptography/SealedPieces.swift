internal import CGcrypt

/// A long message as pieces of one length, the last one perhaps shorter, each sealed by ChaCha20-Poly1305 (RFC 8439): what
/// it was encrypted to, then 16 bytes of tag. The nonce of a piece is its number, so a key is for one message only. Pieces
/// can be worked on by several threads.
///
/// By libgcrypt, whose cipher takes less than half the time of NaCl's secret box in libsodium.
public struct SealedPieces: Sendable {
    public static let keyLength = 32
    /// What a piece has beside its part of the message.
    public static let overhead = 16
    /// Of a piece's part of the message.
    public static let lengths = 1...(16 << 20)

    public let count: Int
    private let pieceLength: Int
    private let first: Int
    private let messageCount: Int

    private static let isUsable = cgcrypt_prepare()

    /// To be called before anything else of libgcrypt by anybody.
    static func prepare() { precondition(isUsable, "libgcrypt is older than the one that this was built with") }

    /// The pieces of a message; the first one has the number `first`.
    public init(ofMessage message: InputBytes, pieceLength: Int, first: Int) {
        self.pieceLength = pieceLength
        self.first = first
        messageCount = message.count
        count = Self.ceiling(message.count, pieceLength)
    }

    /// The pieces that stand one behind the other in `sealed`; nil where the last one is too short to be one.
    public init?(in sealed: InputBytes, pieceLength: Int, first: Int) {
        self.pieceLength = pieceLength
        self.first = first
        count = Self.ceiling(sealed.count, pieceLength + Self.overhead)
        messageCount = sealed.count - count * Self.overhead
        guard count == 0 || messageCount > (count - 1) * pieceLength else { return nil }
    }

    /// - Parameter room: bytes in front that are left free, zeros.
    public func roomForMessage(behind room: Int) throws(CryptorError) -> ResultBytes {
        let result = try ResultBytes(count: room + messageCount)
        result.pointer.update(repeating: 0, count: room)
        return result
    }

    public func roomForSealed() throws(CryptorError) -> ResultBytes {
        try ResultBytes(count: messageCount + count * Self.overhead)
    }

    /// Seals some pieces of `message` to their places in `sealed`.
    public func seal(
        _ some: Range<Int>, of message: InputBytes, key: InputBytes, into sealed: ResultBytes
    ) throws(CryptorError) {
        try withCipher(key) { cipher throws(CryptorError) in
            for index in some {
                let (length, place) = (lengthOfPiece(index), sealed.pointer + sealedAt(index))
                begin(index, with: cipher)
                require(
                    gcry_cipher_encrypt(cipher, place, length, message.pointer + index * pieceLength, length))
                require(gcry_cipher_gettag(cipher, place + length, Self.overhead))
            }
        }
    }

    /// Opens some pieces in `sealed` to their places in `message`, which has `room` bytes in front.
    public func open(
        _ some: Range<Int>, of sealed: InputBytes, key: InputBytes, into message: ResultBytes, behind room: Int
    ) throws(CryptorError) {
        try withCipher(key) { cipher throws(CryptorError) in
            for index in some {
                let (length, place) = (lengthOfPiece(index), sealed.pointer + sealedAt(index))
                begin(index, with: cipher)
                require(
                    gcry_cipher_decrypt(
                        cipher, message.pointer + room + index * pieceLength, length, place, length))
                guard gcry_cipher_checktag(cipher, place + length, Self.overhead) == 0 else {
                    throw .failedVerification(bytes: length + Self.overhead)
                }
            }
        }
    }

    private func withCipher(
        _ key: InputBytes, _ body: (gcry_cipher_hd_t) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        var cipher: gcry_cipher_hd_t?
        let code = gcry_cipher_open(
            &cipher, Int32(GCRY_CIPHER_CHACHA20.rawValue), Int32(GCRY_CIPHER_MODE_POLY1305.rawValue), 0)
        guard code == 0, let cipher else { throw .outOfMemory(bytes: 0) }
        defer { gcry_cipher_close(cipher) }
        require(gcry_cipher_setkey(cipher, key.pointer, Self.keyLength))
        try body(cipher)
    }

    private func begin(_ index: Int, with cipher: gcry_cipher_hd_t) {
        let number = UInt64(first + index)
        let nonce = [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        require(gcry_cipher_setiv(cipher, nonce, nonce.count))
    }

    /// Of calls that fail for wrong lengths alone, and those are right here.
    private func require(_ code: gcry_error_t) {
        precondition(code == 0, "libgcrypt gave \(code): \(String(cString: gcry_strerror(code)))")
    }

    private func lengthOfPiece(_ index: Int) -> Int { min(pieceLength, messageCount - index * pieceLength) }

    private func sealedAt(_ index: Int) -> Int { index * (pieceLength + Self.overhead) }

    private static func ceiling(_ count: Int, _ length: Int) -> Int { (count + length - 1) / length }
}
