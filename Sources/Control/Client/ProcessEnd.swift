internal import CSystem
internal import Glibc

/// The end of a process that need not be a child.
final class ProcessEnd {
    private let descriptor: Int32

    init(pid: Int32) { descriptor = chs_pidfd_open(pid) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// True once it has ended, also when it had before this was made.
    func wait(until deadline: ContinuousClock.Instant) -> Bool {
        descriptor < 0 || waitUntilReadable(descriptor, until: deadline)
    }
}
