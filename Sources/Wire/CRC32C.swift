/// CRC32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4), four bytes a step: frame headers are
/// three words, so slicing by four is one lookup per byte without a loop over bits.
package enum CRC32C {
    /// Four tables of 256 values behind one another, made once and kept as long as the process lives.
    private nonisolated(unsafe) static let tables: UnsafePointer<UInt32> = {
        let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 4 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = (value >> 1) ^ (value & 1 == 1 ? 0x82F6_3B78 : 0) }
            tables[byte] = value
        }
        for slice in 1..<4 {
            for byte in 0..<256 {
                let shorter = tables[(slice - 1) * 256 + byte]
                tables[slice * 256 + byte] = (shorter >> 8) ^ tables[Int(shorter & 0xFF)]
            }
        }
        return UnsafePointer(tables)
    }()

    /// Check value of the words as they stand in memory in little-endian order.
    @inline(__always)
    package static func of(_ words: UInt32...) -> UInt32 {
        words.reduce(0xFFFF_FFFF) { step($0, $1, tables) } ^ 0xFFFF_FFFF
    }

    /// The same for the three words that a frame header's check covers.
    @inline(__always)
    static func ofHeader(_ first: UInt32, _ second: UInt32, _ third: UInt32) -> UInt32 {
        let tables = tables
        return step(step(step(0xFFFF_FFFF, first, tables), second, tables), third, tables) ^ 0xFFFF_FFFF
    }

    @inline(__always)
    private static func step(_ crc: UInt32, _ word: UInt32, _ tables: UnsafePointer<UInt32>) -> UInt32 {
        let mixed = crc ^ word
        return tables[768 + Int(mixed & 0xFF)] ^ tables[512 + Int((mixed >> 8) & 0xFF)]
            ^ tables[256 + Int((mixed >> 16) & 0xFF)] ^ tables[Int(mixed >> 24)]
    }
}
