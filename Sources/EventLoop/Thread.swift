internal import CGLib
internal import CSystem
internal import Glibc

/// A POSIX thread that lives until its body returns; `join` it once.
public final class Thread: Sendable {
    private let handle: pthread_t

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Parameter stackBytes: JavaScript needs a deep one; the default is that of a main thread.
    public init(stackBytes: Int = 8 << 20, _ body: @escaping @Sendable () -> Void) throws(UVError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, stackBytes)
        defer { pthread_attr_destroy(&attributes) }
        let box = Unmanaged.passRetained(Body(body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw UVError(-code, in: "pthread_create")
        }
        self.handle = handle
    }

    public func join() { pthread_join(handle, nil) }

    /// Joins it if it ends by then; false leaves it to itself.
    public func join(within limit: Duration) -> Bool {
        chs_join_thread(handle, Int(limit.components.seconds)) == 0
    }
}
