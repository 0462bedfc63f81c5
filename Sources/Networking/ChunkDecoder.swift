/// The chunked transfer coding (RFC 9112, section 7.1), taken as strictly as the standard has it: what libsoup of Debian 12
/// makes of it lets a body that is cut between two chunks pass for a whole one.
///
/// It says how many bytes it wants and is given at most as many. It ends before the last chunk's line feed, so that libsoup
/// finds an end of its own there: an empty line, which it takes for a size of 0, and the empty line that ends the trailers.
struct ChunkDecoder {
    struct Malformed: Error, Equatable {
        let reason: String
    }

    private enum State: Equatable {
        case size(Int, digits: Int)
        case extensions(size: Int, count: Int)
        case sizeLineFeed(size: Int)
        case data(left: Int)
        case dataReturn
        case dataLineFeed
        case last
    }

    /// Digits of a size that is far above every bound and fits an `Int`.
    private static let mostDigits = 12
    private static let longestExtensions = 4096

    private var state = State.size(0, digits: 0)

    /// The last chunk has come.
    var isComplete: Bool { state == .last }

    /// How many bytes come next that are the body's; nil for bytes of the coding, which are wanted one by one.
    var bodyBytes: Int? {
        if case .data(let left) = state { left } else { nil }
    }

    /// Body bytes have come.
    mutating func took(_ count: Int) {
        guard case .data(let left) = state else { preconditionFailure("body bytes where none were wanted") }
        state = count < left ? .data(left: left - count) : .dataReturn
    }

    /// A byte of the coding has come.
    mutating func take(_ byte: UInt8) throws(Malformed) {
        switch (state, byte) {
        case (.size(let size, let digits), _) where Self.value(of: byte) != nil:
            guard digits < Self.mostDigits else { throw Malformed(reason: "a chunk's size has too many digits") }
            state = .size(size << 4 + (Self.value(of: byte) ?? 0), digits: digits + 1)
        case (.size(let size, let digits), UInt8(ascii: "\r")) where digits > 0: state = Self.behindSize(size)
        case (.size(let size, let digits), UInt8(ascii: ";")) where digits > 0:
            state = .extensions(size: size, count: 0)
        case (.extensions(let size, _), UInt8(ascii: "\r")): state = Self.behindSize(size)
        case (.extensions(let size, let count), 0x09), (.extensions(let size, let count), 0x20...0x7e):
            guard count < Self.longestExtensions else { throw Malformed(reason: "a chunk's extensions have no end") }
            state = .extensions(size: size, count: count + 1)
        case (.sizeLineFeed(let size), UInt8(ascii: "\n")): state = .data(left: size)
        case (.dataReturn, UInt8(ascii: "\r")): state = .dataLineFeed
        case (.dataLineFeed, UInt8(ascii: "\n")): state = .size(0, digits: 0)
        case (.size, _): throw Malformed(reason: "a chunk has no size")
        case (.dataReturn, _), (.dataLineFeed, _): throw Malformed(reason: "a chunk is longer than its size")
        case (.sizeLineFeed, _), (.extensions, _): throw Malformed(reason: "a chunk's size does not end its line")
        case (.data, _), (.last, _): preconditionFailure("a byte of the coding where none was wanted")
        }
    }

    private static func behindSize(_ size: Int) -> State { size == 0 ? .last : .sizeLineFeed(size: size) }

    private static func value(of byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
