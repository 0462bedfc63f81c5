internal import CScrypt
internal import CSodium
internal import Glibc

/// scrypt (RFC 7914) in slices of some 10 ms at most, so that it tells how far it is and can be stopped; libsodium's
/// cannot. The two ends, PBKDF2 with HMAC-SHA256, are libsodium's.
public enum Scrypt {
    public struct Parameters: Equatable, Sendable {
        public let logN: Int
        public let r: Int
        public let p: Int
        /// Bytes of the derived key.
        public let length: Int

        public static let logNRange = 1...23
        public static let factorRange = 1...1024
        public static let lengthRange = 1...65_536
        /// Bytes of one derivation's table, `128 × n × r`.
        public static let mostMemory = 1 << 30
        /// `n × r × p`: 16 times what the most memory takes with `p` 1, a minute or so.
        public static let mostWork = 1 << 27
        /// Bytes of all lanes together, `128 × r × p`: what the two ends go over in one piece, half a second or so.
        public static let mostLanes = 8 << 20

        /// Throws what is wrong with them together; each alone is in its range.
        public init(logN: Int, r: Int, p: Int, length: Int) throws(ScryptLimit) {
            precondition(Self.logNRange.contains(logN) && Self.lengthRange.contains(length))
            precondition(Self.factorRange.contains(r) && Self.factorRange.contains(p))
            self.logN = logN
            self.r = r
            self.p = p
            self.length = length
            guard block * n <= Self.mostMemory else { throw .memory(wanted: block * n) }
            guard block * p <= Self.mostLanes else { throw .lanes(wanted: block * p) }
            guard n * r * p <= Self.mostWork else { throw .work(wanted: n * r * p) }
        }

        var n: Int { 1 << logN }
        var block: Int { 128 * r }
    }

    /// The most bytes that are gone over between two calls of `pause`, a block at least.
    private static let slice = 1 << 20

    /// - Parameter pause: called between slices with the part that is done, 0 to 1; what it throws ends the derivation.
    public static func derive(
        password: InputBytes, salt: InputBytes, _ parameters: Parameters,
        pause: (Double) throws(CryptorError) -> Void
    ) throws(CryptorError) -> ResultBytes {
        let lanes = try SecretPages(count: parameters.block * parameters.p)
        try stretch(password, salt.bytes, into: lanes.bytes, pause: { () throws(CryptorError) in try pause(0) })
        try mix(lanes.bytes, parameters, pause: pause)
        try pause(1)
        let result = try ResultBytes(count: parameters.length)
        let end = UnsafeMutableRawBufferPointer(start: result.pointer, count: result.count)
        try stretch(password, UnsafeRawBufferPointer(lanes.bytes), into: end, pause: { () throws(CryptorError) in })
        return result
    }

    private static func mix(
        _ lanes: UnsafeMutableRawBufferPointer, _ parameters: Parameters, pause: (Double) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        let block = parameters.block
        let pages = try SecretPages(count: block * (parameters.n + 2))
        guard let table = pages.bytes.bindMemory(to: UInt8.self).baseAddress,
            let first = lanes.bindMemory(to: UInt8.self).baseAddress
        else { return }
        let working = table + block * parameters.n
        var romix = chr_romix(
            v: table, x: working, y: working + block, r: parameters.r, n: UInt64(parameters.n), done: 0)
        let steps = 2 * UInt64(parameters.n)
        for lane in 0..<parameters.p {
            chr_romix_begin(&romix, first + lane * block)
            while romix.done < steps {
                let part = Double(romix.done) / Double(steps)
                try pause((Double(lane) + part) / Double(parameters.p))
                chr_romix_advance(&romix, UInt64(max(1, slice / block)))
            }
            chr_romix_end(&romix, first + lane * block)
        }
    }

    /// PBKDF2 with one iteration of HMAC-SHA256 (RFC 8018).
    private static func stretch(
        _ password: InputBytes, _ salt: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer,
        pause: () throws(CryptorError) -> Void
    ) throws(CryptorError) {
        var keyed = crypto_auth_hmacsha256_state()
        defer { sodium_memzero(&keyed, MemoryLayout.size(ofValue: keyed)) }
        crypto_auth_hmacsha256_init(&keyed, password.pointer, password.count)
        let bytes = InputBytes(inPlace: salt)
        crypto_auth_hmacsha256_update(&keyed, bytes.pointer, UInt64(bytes.count))
        let hashLength = Int(crypto_auth_hmacsha256_BYTES)
        var hash = [UInt8](repeating: 0, count: hashLength)
        defer { sodium_memzero(&hash, hashLength) }
        for (number, start) in stride(from: 0, to: result.count, by: hashLength).enumerated() {
            if number % 4096 == 0 { try pause() }
            var state = keyed
            withUnsafeBytes(of: UInt32(number + 1).bigEndian) { index in
                let index = InputBytes(inPlace: index)
                crypto_auth_hmacsha256_update(&state, index.pointer, UInt64(index.count))
            }
            crypto_auth_hmacsha256_final(&state, &hash)
            let part = UnsafeMutableRawBufferPointer(rebasing: result[start...].prefix(hashLength))
            hash.withUnsafeBytes { part.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(part.count))) }
        }
    }
}

/// Why parameters of scrypt are refused although each is in its range.
public enum ScryptLimit: Error, Equatable, CustomStringConvertible {
    case memory(wanted: Int)
    case lanes(wanted: Int)
    case work(wanted: Int)

    public var description: String {
        switch self {
        case .memory(let wanted):
            "with r needs \(wanted) bytes of memory, the limit is \(Scrypt.Parameters.mostMemory)"
        case .lanes(let wanted):
            "with r and p makes 128 × r × p = \(wanted) bytes, the limit is \(Scrypt.Parameters.mostLanes)"
        case .work(let wanted):
            "with r and p makes 2^logN × r × p = \(wanted), the limit is \(Scrypt.Parameters.mostWork)"
        }
    }
}

/// Zeroed memory of its own pages, in no core dump, and in large pages where the kernel has them: a table that is read
/// here and there costs more in look-ups of small pages than in arithmetic.
private final class SecretPages {
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) throws(CryptorError) {
        let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else { throw .outOfMemory(bytes: count) }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
        // Both are advice: a kernel that does not know them changes no result.
        madvise(start, count, Int32(MADV_DONTDUMP))
        madvise(start, count, Int32(MADV_HUGEPAGE))
    }

    deinit { munmap(bytes.baseAddress, bytes.count) }
}
