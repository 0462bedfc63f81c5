internal import Wire

/// Does to the bytes of one direction what a fault of its frames says. Bytes in, bytes out, no I/O.
///
/// Frames of more than `longest` bytes pass as they are: the next shorter one is taken.
struct FrameMangler {
    static let longest = 1 << 20

    private let kind: PortFault.Kind
    private let bit: Int
    /// Bytes that are left of the frame that is on its way.
    private var passing: Int
    private var gathered: [UInt8] = []
    private var held: [UInt8]?
    /// Done: everything passes.
    private(set) var isDone = false
    /// The direction ends behind what was given last.
    private(set) var endsHere = false

    /// - Parameter passing: bytes to the next boundary of frames.
    init(_ kind: PortFault.Kind, passing: Int, seed: UInt64) {
        self.kind = kind
        self.passing = passing
        bit = Int(seed % UInt64(FrameHeader.size * 8))
    }

    mutating func take(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        if endsHere { return [] }
        if isDone { return Array(bytes) }
        let count = min(passing, bytes.count)
        passing -= count
        var out = Array(bytes.prefix(count))
        gathered += bytes.dropFirst(count)
        while passing == 0, !isDone, let size = sizeOfFrame {
            if size > Self.longest {
                passing = max(0, size - gathered.count)
                out += gathered.prefix(size)
                gathered.removeFirst(min(size, gathered.count))
            } else if gathered.count >= size {
                out += mangle(Array(gathered.prefix(size)))
                gathered.removeFirst(size)
            } else {
                break
            }
        }
        return isDone && !endsHere ? out + flush() : out
    }

    /// What it keeps back, as it came.
    mutating func flush() -> [UInt8] {
        defer { (held, gathered) = (nil, []) }
        return (held ?? []) + gathered
    }

    private var sizeOfFrame: Int? {
        guard gathered.count >= FrameHeader.size else { return nil }
        return FrameHeader.size + (0..<4).reduce(0) { $0 | Int(gathered[$1]) << (8 * $1) }
    }

    private mutating func mangle(_ frame: [UInt8]) -> [UInt8] {
        switch kind {
        case .cut(let place):
            (isDone, endsHere) = (true, true)
            return Array(frame.prefix(place))
        case .corrupt:
            isDone = true
            var frame = frame
            frame[bit / 8] ^= 1 << UInt8(bit % 8)
            return frame
        case .repetition:
            isDone = true
            return frame + frame
        case .swap:
            guard let first = held else {
                held = frame
                return []
            }
            (held, isDone) = (nil, true)
            return frame + first
        case .delay, .bandwidth, .close, .deafness: return frame
        }
    }
}
