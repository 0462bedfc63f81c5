internal import Glibc
public import Wire

/// A frame's header as it crossed a pipe.
public struct CrossedHeader: Equatable, Sendable {
    public let isIncoming: Bool
    public let kind: FrameKind
    public let sequence: UInt32
    /// Bytes of body.
    public let length: UInt32
    /// Of the turn of the loop in which it was read, or queued.
    public let milliseconds: UInt64
}

/// The last headers of each direction of a pipe, for the day on which somebody asks how it ended. A note is three stores:
/// no memory is taken, no clock is read.
final class HeaderRing {
    static let perDirection = 16

    private struct Note {
        var milliseconds: UInt64
        var sequence: UInt32
        var length: UInt32
        var kind: UInt8
    }

    private let incoming = UnsafeMutablePointer<Note>.allocate(capacity: perDirection)
    private let outgoing = UnsafeMutablePointer<Note>.allocate(capacity: perDirection)

    /// `number` counts the frames of this direction from 0.
    @inline(__always)
    func noteIncoming(_ number: Int, _ header: FrameHeader, _ milliseconds: UInt64) {
        incoming[number & (Self.perDirection - 1)] = Note(
            milliseconds: milliseconds, sequence: header.sequence, length: header.length, kind: header.kind.rawValue)
    }

    @inline(__always)
    func noteOutgoing(_ number: Int, _ header: FrameHeader, _ milliseconds: UInt64) {
        outgoing[number & (Self.perDirection - 1)] = Note(
            milliseconds: milliseconds, sequence: header.sequence, length: header.length, kind: header.kind.rawValue)
    }

    /// Oldest first.
    ///
    /// - Parameters: how many frames have crossed in each direction.
    func headers(incoming ins: Int, outgoing outs: Int) -> [CrossedHeader] {
        let all = Self.list(incoming, ins, isIncoming: true) + Self.list(outgoing, outs, isIncoming: false)
        return all.sorted { ($0.milliseconds, $0.sequence) < ($1.milliseconds, $1.sequence) }
    }

    private static func list(_ notes: UnsafePointer<Note>, _ count: Int, isIncoming: Bool) -> [CrossedHeader] {
        (max(0, count - perDirection)..<count).map { number in
            let note = notes[number & (perDirection - 1)]
            return CrossedHeader(
                isIncoming: isIncoming, kind: FrameKind(rawValue: note.kind) ?? .envelope, sequence: note.sequence,
                length: note.length, milliseconds: note.milliseconds)
        }
    }

    deinit {
        incoming.deallocate()
        outgoing.deallocate()
    }
}
