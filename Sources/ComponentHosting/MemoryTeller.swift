internal import Confinement
internal import JSEngine
internal import Wire

/// Looks at what the process holds while it works, and says when that goes over a mark: a process that rests is never
/// woken for it.
final class MemoryTeller {
    /// Between looks, in milliseconds.
    static let interval: UInt64 = 250

    private let gauge: MemoryGauge
    private let tell: (UInt64) -> Void
    /// Bytes; 0 = none.
    private var mark: UInt64 = 0
    /// What was told last, while that is above the mark; else 0.
    private var told: UInt64 = 0
    private var lookedAt: UInt64 = 0

    init(_ gauge: MemoryGauge, tell: @escaping (UInt64) -> Void) {
        self.gauge = gauge
        self.tell = tell
    }

    func tellAbove(_ mark: UInt64) {
        self.mark = mark
        told = 0
        lookedAt = 0
    }

    /// `milliseconds` is now.
    func look(at milliseconds: UInt64) {
        guard mark > 0, milliseconds >= lookedAt + Self.interval, let own = gauge.own else { return }
        lookedAt = milliseconds
        if own <= mark - mark / 10 {
            guard told > 0 else { return }
            told = 0
        } else {
            guard own > max(mark, told + told / 16) else { return }
            told = own
        }
        tell(own)
    }

    func figures(of engine: JSEngineHost?) -> MemoryFigures {
        var figures = MemoryFigures(own: gauge.own ?? 0)
        guard let use = engine?.memoryUse else { return figures }
        figures.heap = UInt64(clamping: use.heapSize)
        figures.extra = UInt64(clamping: use.extraSize)
        figures.capacity = UInt64(clamping: use.heapCapacity)
        figures.objects = UInt64(clamping: use.objectCount)
        return figures
    }
}
