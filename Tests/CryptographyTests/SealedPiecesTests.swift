import CSodium
import Cryptography
import Testing

@Suite struct PiecesOfMessages {
    /// libsodium has the same cipher (RFC 8439) by other code.
    @Test func anotherLibraryOpensThem() throws {
        let key = [UInt8](0..<32)
        let message = (0..<2500).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let sealed = try key.withUnsafeBytes { key in
            try message.withUnsafeBytes { message in
                let (key, message) = (InputBytes(copying: key), InputBytes(copying: message))
                let pieces = SealedPieces(ofMessage: message, pieceLength: 1000, first: 0x0102)
                let room = try pieces.roomForSealed()
                try pieces.seal(0..<pieces.count, of: message, key: key, into: room)
                return Array(room.bytes)
            }
        }
        var opened: [UInt8] = []
        for (index, number) in [UInt8(2), 3, 4].enumerated() {
            let piece = Array(sealed.dropFirst(index * 1016).prefix(1016))
            let nonce: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, number]
            var part = [UInt8](repeating: 0, count: piece.count - 16)
            let code = crypto_aead_chacha20poly1305_ietf_decrypt(
                &part, nil, nil, piece, UInt64(piece.count), nil, 0, nonce, key)
            #expect(code == 0)
            opened += part
        }
        #expect(opened == message)
    }
}
