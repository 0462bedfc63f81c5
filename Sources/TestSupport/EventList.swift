internal import Dispatch
internal import Synchronization

/// What happened on other threads, as a list that can be waited for.
public final class EventList: Sendable {
    private let list = Mutex<[String]>([])
    private let added = DispatchSemaphore(value: 0)

    public init() {}

    public func add(_ event: String) {
        list.withLock { $0.append(event) }
        added.signal()
    }

    public var all: [String] { list.withLock { $0 } }

    /// Waits until an event that begins with `event` has happened; false after ten seconds without any event.
    public func wait(for event: String) -> Bool {
        while !all.contains(where: { $0.hasPrefix(event) }) {
            if added.wait(timeout: .now() + 10) == .timedOut { return false }
        }
        return true
    }
}
