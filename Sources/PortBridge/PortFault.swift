/// A fault of one direction of a data pipe, injected on purpose: it proves that whoever receives notices.
public struct PortFault: Sendable, Equatable {
    /// As seen by the end that carries it out.
    public enum Direction: Sendable { case incoming, outgoing }

    public enum Kind: Sendable, Equatable {
        /// Everything comes so much later, and up to `jitter` more; the order stays.
        case delay(Duration, jitter: Duration)
        /// Bytes per second.
        case bandwidth(Int)
        /// The next frame ends after so many bytes, and with it the direction.
        case cut(at: Int)
        /// One bit of the next frame's header is another one.
        case corrupt
        /// The next frame comes twice.
        case repetition
        /// The next two frames come in the other order.
        case swap
        /// The direction ends.
        case close
        /// What comes is left in the kernel.
        case deafness
    }

    public let number: Int
    public let kind: Kind
    public let direction: Direction
    public let seed: UInt64

    public init(number: Int, _ kind: Kind, _ direction: Direction, seed: UInt64) {
        self.number = number
        self.kind = kind
        self.direction = direction
        self.seed = seed
    }
}
