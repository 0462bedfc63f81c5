internal import CSodium

/// What the key store makes of data: XChaCha20-Poly1305 (IETF) behind a header, which is authenticated together with the
/// key's name.
///
///     offset  size  field
///     0       4     "chks"
///     4       1     version, 1
///     5       16    id of the key
///     21      8     bytes of the data, big-endian
///     29      24    nonce, random
///     53      8     BLAKE2b of all before
///     61      n     the encrypted data
///     61 + n  16    authenticator
///
/// The hash is no protection: it tells a changed header from a lost key or a missing end, before a key is at hand.
enum KeyEnvelope {
    static let headerLength = 61
    static let overhead = headerLength + Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
    private static let start: [UInt8] = Array("chks".utf8) + [1]
    private static let nonceLength = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    private static let hashedLength = 53

    static func seal(_ data: InputBytes, _ key: StoredKey, name: String) throws(CryptorError) -> ResultBytes {
        let result = try ResultBytes(count: overhead + data.count)
        var nonce = [UInt8](repeating: 0, count: nonceLength)
        randombytes_buf(&nonce, nonceLength)
        let length = (0..<8).map { UInt8(truncatingIfNeeded: data.count >> (56 - 8 * $0)) }
        let hashed = start + key.id + length + nonce
        let header = hashed + digest(hashed, count: headerLength - hashedLength)
        result.pointer.update(from: header, count: headerLength)
        let bound = header + Array(name.utf8)
        let code = key.withBytes { key in
            crypto_aead_xchacha20poly1305_ietf_encrypt(
                result.pointer + headerLength, nil, data.pointer, UInt64(data.count), bound, UInt64(bound.count), nil,
                nonce, key)
        }
        precondition(code == 0, "crypto_aead_xchacha20poly1305_ietf_encrypt gave \(code)")
        return result
    }

    /// What is known of an envelope before its key is.
    struct Opened: Sendable {
        let keyID: [UInt8]
        fileprivate let header: [UInt8]
        fileprivate let nonce: [UInt8]
        fileprivate let count: Int
    }

    static func examine(_ envelope: InputBytes, name: String) throws(KeystoreError) -> Opened {
        let header = Array(envelope.bytes.prefix(headerLength))
        guard header.starts(with: start.prefix(header.count)) else {
            throw KeystoreError(
                .tampered, name, "\(envelope.count) bytes do not begin as version 1 of what the key store makes")
        }
        guard header.count == headerLength else {
            throw KeystoreError(
                .truncated, name,
                "\(envelope.count) bytes are the beginning of what the key store makes, without its end")
        }
        guard digest(header[..<hashedLength], count: headerLength - hashedLength) == Array(header[hashedLength...])
        else {
            throw KeystoreError(.tampered, name, "the header was changed")
        }
        let count = header[21..<29].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let there = envelope.count - overhead
        guard there >= 0, count <= UInt64(there) else {
            let kept = max(0, envelope.count - headerLength)
            throw KeystoreError(.truncated, name, "the end is missing: \(kept) bytes of \(count) and 16 are there")
        }
        guard count == UInt64(there) else {
            throw KeystoreError(.tampered, name, "\(UInt64(there) - count) bytes were added at the end")
        }
        return Opened(
            keyID: Array(header[5..<21]), header: header, nonce: Array(header[29..<hashedLength]), count: there)
    }

    static func open(
        _ envelope: InputBytes, _ opened: Opened, _ key: StoredKey, name: String
    ) throws(KeystoreError) -> ResultBytes {
        let result: ResultBytes
        do throws(CryptorError) {
            result = try ResultBytes(count: opened.count)
        } catch {
            throw KeystoreError(.outOfMemory, name, error.description)
        }
        let bound = opened.header + Array(name.utf8)
        let code = key.withBytes { key in
            crypto_aead_xchacha20poly1305_ietf_decrypt(
                result.pointer, nil, nil, envelope.pointer + headerLength, UInt64(envelope.count - headerLength), bound,
                UInt64(bound.count), opened.nonce, key)
        }
        guard code == 0 else { throw KeystoreError(.tampered, name, "the encrypted data was changed") }
        return result
    }
}
