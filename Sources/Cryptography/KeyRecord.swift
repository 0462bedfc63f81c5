/// What the key folder keeps of one key: the key itself, or that the Secret Service has it.
///
///     offset  size  field
///     0       4     "chkr"
///     4       1     version, 1
///     5       1     0 the key is here, 1 the Secret Service has it
///     6       16    id of the key
///     22      32    the key, only if it is here
///     …       8     BLAKE2b of all before
enum KeyRecord: Sendable {
    case here(StoredKey)
    case inService(id: [UInt8])

    static let lengths = [true: 62, false: 30]
    private static let start: [UInt8] = Array("chkr".utf8) + [1]
    private static let hashLength = 8

    var id: [UInt8] {
        switch self {
        case .here(let key): key.id
        case .inService(let id): id
        }
    }

    /// To be wiped by the receiver.
    var bytes: [UInt8] {
        var bytes = Self.start
        switch self {
        case .here(let key):
            bytes += [0] + key.id
            key.withBytes { bytes += UnsafeBufferPointer(start: $0, count: StoredKey.length) }
        case .inService(let id): bytes += [1] + id
        }
        return bytes + digest(bytes, count: Self.hashLength)
    }

    /// Throws why the bytes are no record, in words.
    init(_ bytes: UnsafeRawBufferPointer) throws(KeyRecordFault) {
        guard Self.lengths.values.contains(bytes.count) else {
            throw KeyRecordFault("has \(bytes.count) bytes, and a key's file has 30 or 62")
        }
        guard bytes.starts(with: Self.start) else { throw KeyRecordFault("is no key's file of version 1") }
        let hashed = bytes.dropLast(Self.hashLength)
        guard digest(hashed, count: Self.hashLength) == Array(bytes.suffix(Self.hashLength)), bytes[5] <= 1,
            bytes.count == Self.lengths[bytes[5] == 0]
        else { throw KeyRecordFault("was changed") }
        let id = Array(bytes[6..<22])
        guard bytes[5] == 0 else {
            self = .inService(id: id)
            return
        }
        do throws(CryptorError) {
            self = .here(try StoredKey(id: id, copying: UnsafeRawBufferPointer(rebasing: bytes[22..<54])))
        } catch {
            throw KeyRecordFault("cannot be taken: \(error)")
        }
    }
}

struct KeyRecordFault: Error {
    let text: String
    init(_ text: String) { self.text = text }
}
