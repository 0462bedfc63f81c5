internal import EventLoop
internal import Glibc

/// Sees changes in the folder of a socket, by inotify: no polling. What changed is the one's to look at who is called.
final class SocketWatch {
    private let descriptor: Int32
    private var readiness: Readiness?

    /// Nil where the kernel gives no watch: then only the round of the supervisor looks.
    init?(folder: String, on loop: Loop, changed: @escaping () -> Void) {
        descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let events = IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF
        do throws(UVError) {
            readiness = try Readiness(ofReading: descriptor, on: loop) { [weak self] in
                self?.drain()
                changed()
            }
        } catch {
            Glibc.close(descriptor)
            return nil
        }
        guard inotify_add_watch(descriptor, folder, UInt32(events)) >= 0 else {
            close()
            return nil
        }
    }

    func close() {
        guard let readiness else { return }
        self.readiness = nil
        readiness.close()
        Glibc.close(descriptor)
    }

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
