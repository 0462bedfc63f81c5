/// What is done to one direction of a component's port.
public enum PortTrouble: Hashable, Sendable {
    case delay(Duration, jitter: Duration)
    /// Bytes per second.
    case bandwidth(Int)
    /// The next frame ends after so many bytes.
    case cut(at: Int)
    case corrupt, repetition, swap, close
    case deafness
}

public enum PortDirection: String, Hashable, Sendable, CaseIterable {
    case toCore = "to-core"
    case toComponent = "to-component"

    init(_ values: FaultValues) {
        self = PortDirection(rawValue: values.text("direction")) ?? .toCore
    }
}

/// Whose writes a disk refuses, or keeps waiting.
public enum DiskPlace: String, Hashable, Sendable, CaseIterable {
    /// Log files, the audit, what is kept of deaths.
    case logs
    /// What the core stores.
    case data

    init(_ values: FaultValues) {
        self = DiskPlace(rawValue: values.text("place")) ?? .data
    }
}
