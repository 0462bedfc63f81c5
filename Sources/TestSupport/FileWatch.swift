internal import Glibc

/// Waits for what happens to the files of folders.
public final class FileWatch {
    private let descriptor: Int32

    public init(_ folder: String) throws {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        try add(folder)
    }

    public func add(_ folder: String) throws {
        guard inotify_add_watch(descriptor, folder, UInt32(IN_CREATE | IN_MODIFY)) >= 0 else {
            throw TestFailure("\(folder) cannot be watched: errno \(errno)")
        }
    }

    /// Looks again after each change. False: it was not true within `limit`.
    public func wait(within limit: Duration, until isTrue: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + limit
        var events = [UInt8](repeating: 0, count: 4096)
        while !isTrue() {
            let left = deadline - .now
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > .zero, poll(&entry, 1, Int32(left / .milliseconds(1))) == 1 else { return isTrue() }
            _ = read(descriptor, &events, events.count)
        }
        return true
    }

    deinit { close(descriptor) }
}
