import CSodium
import Cryptography
import TestSupport

func input(_ bytes: [UInt8]) -> InputBytes { bytes.withUnsafeBytes { InputBytes(copying: $0) } }
func input(_ text: String) -> InputBytes { input(Array(text.utf8)) }

extension ResultBytes {
    var array: [UInt8] { Array(bytes) }
}

/// Bytes of hexadecimal digits; blanks are for the eye.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension SeededRandom {
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
}
