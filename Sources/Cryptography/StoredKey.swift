internal import CSodium

/// A key of the key store with the id that tells what it has encrypted. The key's memory is locked and guarded, and
/// wiped in the end.
///
/// Unchecked: after `init` it is only read.
final class StoredKey: @unchecked Sendable {
    static let length = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
    static let idLength = 16

    let id: [UInt8]
    private let memory: UnsafeMutableRawPointer

    /// - Parameter fill: writes the key.
    private init(id: [UInt8], fill: (UnsafeMutableRawPointer) -> Bool) throws(CryptorError) {
        guard let memory = sodium_malloc(Self.length) else { throw .outOfMemory(bytes: Self.length) }
        self.id = id
        self.memory = memory
        guard fill(memory) else { throw .failedVerification(bytes: Self.length) }
        sodium_mprotect_readonly(memory)
    }

    deinit { sodium_free(memory) }

    /// A new one.
    convenience init() throws(CryptorError) {
        var id = [UInt8](repeating: 0, count: Self.idLength)
        randombytes_buf(&id, id.count)
        try self.init(id: id) { memory in
            randombytes_buf(memory, Self.length)
            return true
        }
    }

    /// Throws for another number of bytes.
    convenience init(id: [UInt8], copying bytes: UnsafeRawBufferPointer) throws(CryptorError) {
        try self.init(id: id) { memory in
            guard bytes.count == Self.length, let start = bytes.baseAddress else { return false }
            memory.copyMemory(from: start, byteCount: Self.length)
            return true
        }
    }

    /// Throws for anything but the digits of so many bytes.
    convenience init(id: [UInt8], hexadecimal text: UnsafeBufferPointer<CChar>) throws(CryptorError) {
        try self.init(id: id) { memory in
            var count = 0
            let code = sodium_hex2bin(
                memory.assumingMemoryBound(to: UInt8.self), Self.length, text.baseAddress, text.count, nil, &count, nil)
            return code == 0 && count == Self.length && text.count == 2 * Self.length
        }
    }

    var idText: String { hexadecimal(id) }

    func withBytes<Value>(_ body: (UnsafePointer<UInt8>) -> Value) -> Value {
        body(UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)))
    }

    /// The digits, with a NUL behind them, in guarded memory.
    func withHexadecimal<Value>(_ body: (UnsafePointer<CChar>) -> Value) throws(CryptorError) -> Value {
        let count = 2 * Self.length + 1
        guard let text = sodium_malloc(count)?.bindMemory(to: CChar.self, capacity: count) else {
            throw .outOfMemory(bytes: count)
        }
        defer { sodium_free(text) }
        sodium_bin2hex(text, count, memory.assumingMemoryBound(to: UInt8.self), Self.length)
        return body(text)
    }
}

/// Lower-case digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}

/// BLAKE2b with a short result.
func digest(_ bytes: some Sequence<UInt8>, count: Int) -> [UInt8] {
    let bytes = Array(bytes)
    var result = [UInt8](repeating: 0, count: count)
    let code = crypto_generichash(&result, count, bytes, UInt64(bytes.count), nil, 0)
    precondition(code == 0, "crypto_generichash gave \(code)")
    return result
}
