/// The chunked transfer coding (RFC 9112, section 7.1), taken as strictly as the standard has it: what libsoup of Debian 12
/// makes of it lets a body that is cut between two chunks pass for a whole one.
///
/// It says how many bytes it wants and is given at most as many. Trailers are read and left out.
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
        case trailerStart
        case trailer
        case trailerLineFeed
        case lastLineFeed
        case end
    }

    /// Digits of a size that is far above every bound and fits an `Int`.
    private static let mostDigits = 12
    private static let longestExtensions = 4096
    private static let longestTrailers = 16384

    private var state = State.size(0, digits: 0)
    private var trailerBytes = 0

    /// The last chunk and the trailers have come.
    var isComplete: Bool { state == .end }

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
        case (.size(let size, let digits), UInt8(ascii: "\r")) where digits > 0: state = .sizeLineFeed(size: size)
        case (.size(let size, let digits), UInt8(ascii: ";")) where digits > 0:
            state = .extensions(size: size, count: 0)
        case (.extensions(let size, _), UInt8(ascii: "\r")): state = .sizeLineFeed(size: size)
        case (.extensions(let size, let count), 0x09), (.extensions(let size, let count), 0x20...0x7e):
            guard count < Self.longestExtensions else { throw Malformed(reason: "a chunk's extensions have no end") }
            state = .extensions(size: size, count: count + 1)
        case (.sizeLineFeed(0), UInt8(ascii: "\n")), (.trailerLineFeed, UInt8(ascii: "\n")): state = .trailerStart
        case (.sizeLineFeed(let size), UInt8(ascii: "\n")): state = .data(left: size)
        case (.dataReturn, UInt8(ascii: "\r")): state = .dataLineFeed
        case (.dataLineFeed, UInt8(ascii: "\n")): state = .size(0, digits: 0)
        case (.trailerStart, UInt8(ascii: "\r")): state = .lastLineFeed
        case (.trailer, UInt8(ascii: "\r")): state = .trailerLineFeed
        case (.trailerStart, 0x20...0x7e), (.trailer, 0x20...0xff), (.trailer, 0x09):
            trailerBytes += 1
            guard trailerBytes <= Self.longestTrailers else { throw Malformed(reason: "its trailers have no end") }
            state = .trailer
        case (.lastLineFeed, UInt8(ascii: "\n")): state = .end
        case (.size, _): throw Malformed(reason: "a chunk has no size")
        case (.dataReturn, _), (.dataLineFeed, _): throw Malformed(reason: "a chunk is longer than its size")
        case (.sizeLineFeed, _), (.extensions, _): throw Malformed(reason: "a chunk's size does not end its line")
        case (.trailerStart, _), (.trailer, _), (.trailerLineFeed, _), (.lastLineFeed, _):
            throw Malformed(reason: "its trailers are no lines of text")
        case (.data, _), (.end, _): preconditionFailure("a byte of the coding where none was wanted")
        }
    }

    private static func value(of byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
