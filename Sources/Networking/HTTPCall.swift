internal import EventLoop

/// One request from its begin to its reply: attempts, redirects, the time-out.
public final class HTTPCall {
    /// As in the fetch standard.
    static let mostRedirects = 20

    private let session: NetworkSession
    private let original: HTTPRequest
    private var request: HTTPRequest
    private var redirects = 0
    private var attempts = 0
    private var exchange: HTTPExchange?
    private var timer: Timer?
    private var hasTimedOut = false
    private var isCancelled = false
    private var done: ((Result<HTTPReply, HTTPFailure>) -> Void)?
    private var waitsForFault = false
    private var pause: Timer?

    init(_ request: HTTPRequest, on session: NetworkSession, done: @escaping (Result<HTTPReply, HTTPFailure>) -> Void) {
        self.session = session
        self.done = done
        original = request
        self.request = request
    }

    func start() {
        attempts += 1
        redirects = 0
        request = original
        hasTimedOut = false
        if let timeout = original.timeout {
            let timer = self.timer ?? Timer(on: session.loop)
            self.timer = timer
            timer.start(after: timeout) { [weak self] in
                self?.hasTimedOut = true
                self?.exchange?.cancel()
                if self?.waitsForFault == true { self?.goOn() }
            }
        }
        switch session.fault {
        case nil: ask()
        case .gone, .status: session.loop.atNextTurn { [self] in answerForFault() }
        case .delay(let delay):
            waitsForFault = true
            let pause = Timer(on: session.loop)
            self.pause = pause
            pause.start(after: delay) { [weak self] in self?.goOn() }
        }
    }

    // MARK: Faults on purpose

    private func answerForFault() {
        switch session.fault {
        case .status(let status): finish(.success(HTTPReply(status: status, headers: [], body: ReceivedBytes())))
        case .gone: finish(.failure(isCancelled ? .cancelled : .connect(.unreachable, host: request.address.host)))
        case .delay, nil: ask()
        }
    }

    /// After the delay, or when nobody waits for its end any more.
    private func goOn() {
        guard waitsForFault else { return }
        waitsForFault = false
        pause?.close()
        pause = nil
        guard hasTimedOut || isCancelled else { return ask() }
        failed(isCancelled ? .cancelled : .connect(.timedOut, host: request.address.host))
    }

    /// The call ends with `cancelled`, soon.
    public func cancel() {
        isCancelled = true
        exchange?.cancel()
        goOn()
    }

    private func ask() {
        let exchange = HTTPExchange(request, session: session)
        self.exchange = exchange
        exchange.start(on: session) { [self] result in
            self.exchange = nil
            switch result {
            case .success(let reply): answered(reply)
            case .failure(.cancelled) where hasTimedOut && !isCancelled:
                failed(.connect(.timedOut, host: request.address.host))
            case .failure(let failure): failed(failure)
            }
        }
    }

    private func failed(_ failure: HTTPFailure) {
        if case .connect(.timedOut, _) = failure, attempts <= original.retries, !isCancelled {
            start()
        } else {
            finish(.failure(failure))
        }
    }

    private func answered(_ reply: HTTPExchange.Reply) {
        guard let location = reply.location else {
            finish(.success(HTTPReply(status: reply.status, headers: reply.headers, body: reply.body)))
            return
        }
        do throws(RedirectRefusal) {
            request = try Redirect.follow(location, status: reply.status, of: request)
        } catch {
            finish(.failure(.reply(.redirect(error.reason), status: reply.status)))
            return
        }
        redirects += 1
        guard redirects <= Self.mostRedirects else {
            finish(.failure(.reply(.tooManyRedirects, status: reply.status)))
            return
        }
        if hasTimedOut || isCancelled {
            failed(isCancelled ? .cancelled : .connect(.timedOut, host: request.address.host))
        } else {
            ask()
        }
    }

    private func finish(_ result: Result<HTTPReply, HTTPFailure>) {
        timer?.close()
        timer = nil
        let done = self.done
        self.done = nil
        done?(result)
    }
}
