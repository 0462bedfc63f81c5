/// Options of the JavaScript engine that a configuration may set for components: none of them takes a wall of the sandbox
/// away, writes anything, or lets JavaScript reach more.
public enum EngineOption: String, Hashable, Sendable, CaseIterable {
    /// Compile at all; false = interpret only.
    case useJIT = "JSC_useJIT"
    /// The two optimizing compilers.
    case useDFGJIT = "JSC_useDFGJIT"
    case useFTLJIT = "JSC_useFTLJIT"
    /// Compile and collect beside the running code.
    case useConcurrentJIT = "JSC_useConcurrentJIT"
    case useConcurrentGC = "JSC_useConcurrentGC"
    /// Threads that mark for the collector.
    case numberOfGCMarkers = "JSC_numberOfGCMarkers"

    /// The numbers that it takes; nil: true or false.
    public var range: ClosedRange<Int>? {
        switch self {
        case .numberOfGCMarkers: 1...8
        case .useJIT, .useDFGJIT, .useFTLJIT, .useConcurrentJIT, .useConcurrentGC: nil
        }
    }
}
