internal import CSystem
public import EventLoop

/// The core plane as the supervision plane holds it: a thread, and a mailbox in each direction.
public final class CorePlane {
    private let requests = Mailbox<CoreRequest>()
    private let events = Mailbox<CoreEvent>()
    private let thread: Thread

    /// Starts the thread and on it the boot sequence. `receive` is called on `loop`, which is the supervision plane's.
    public init(
        places: CorePlaces, reportingTo loop: Loop, _ receive: @escaping (CoreEvent) -> Void
    ) throws(UVError) {
        try events.open(on: loop, receive)
        let (requests, events) = (requests, events)
        thread = try Thread {
            chs_set_thread_name("core")
            do {
                try Self.run(places: places, requests: requests, events: events)
            } catch {
                events.send(.bootFailed(step: "loop", reason: "\(error)"))
            }
        }
    }

    private static func run(
        places: CorePlaces, requests: Mailbox<CoreRequest>, events: Mailbox<CoreEvent>
    ) throws(UVError) {
        let loop = try Loop(pumpingGLib: true)
        let session = CoreSession(places: places, loop: loop, tell: { events.send($0) })
        try requests.open(on: loop) { request in
            session.handle(request)
            if session.isStopped { requests.close() }
        }
        session.start()
        // Until `stop` has closed the mailbox and everything else on the loop.
        loop.run()
        loop.close()
    }

    public func send(_ request: CoreRequest) { requests.send(request) }

    /// After `CoreEvent.stopped`.
    public func join() {
        thread.join()
        events.close()
    }
}
