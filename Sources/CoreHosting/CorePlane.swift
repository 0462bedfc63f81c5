internal import CSystem
public import EventLoop
internal import Synchronization

/// The core plane as the supervision plane holds it: a thread, and a mailbox in each direction.
public final class CorePlane {
    private let requests = Mailbox<CoreRequest>()
    private let events = Mailbox<CoreEvent>()
    private let stackRequest = StackRequest()
    private let stoppedFault = StoppedFault()
    private let thread: Thread

    /// Starts the thread and on it the boot sequence. `receive` is called on `loop`, which is the supervision plane's.
    public init(
        places: CorePlaces, reportingTo loop: Loop, _ receive: @escaping (CoreEvent) -> Void
    ) throws(UVError) {
        try events.open(on: loop, receive)
        let (requests, events, stackRequest, stoppedFault) = (requests, events, stackRequest, stoppedFault)
        thread = try Thread {
            chs_set_thread_name("core")
            do {
                try Self.run(places: places, requests: requests, events: events, stackRequest, stoppedFault)
            } catch {
                events.send(.bootFailed(step: "loop", reason: "\(error)"))
            }
        }
    }

    private static func run(
        places: CorePlaces, requests: Mailbox<CoreRequest>, events: Mailbox<CoreEvent>, _ stackRequest: StackRequest,
        _ stoppedFault: StoppedFault
    ) throws(UVError) {
        let loop = try Loop(pumpingGLib: true)
        let session = CoreSession(
            places: places, loop: loop, stackRequest, CoreFaults(stoppedFault), tell: { events.send($0) })
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

    /// The next look at a call that takes long tells its stack, as `CoreEvent.stack`.
    public func wantStack() { stackRequest.make() }

    /// A fault that keeps the core busy ends now.
    public func stopFault(_ number: Int) { stoppedFault.stop(number) }

    /// After `CoreEvent.stopped`.
    public func join() {
        thread.join()
        events.close()
    }
}

/// A wish of another thread for the stack of what runs now.
final class StackRequest: Sendable {
    private let isMade = Atomic(false)

    func make() { isMade.store(true, ordering: .relaxed) }

    func take() -> Bool { isMade.exchange(false, ordering: .relaxed) }
}
