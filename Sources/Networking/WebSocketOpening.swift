internal import EventLoop

/// One WebSocket from the look-up of its host to the end of the opening handshake.
final class WebSocketOpening {
    private static let piece = 4096

    private let request: WebSocketRequest
    private let loop: Loop
    private let handshake: WebSocketHandshake
    private let dial: WebSocketDial
    private let timer: Timer
    private var done: ((Result<WebSocketReply, HTTPFailure>) -> Void)?
    private var stream: WebSocketStream?
    private var unsent: ArraySlice<UInt8>
    private var received: [UInt8] = []
    private var hasTimedOut = false
    private var isCancelled = false
    private let isReachable: Bool

    init(
        _ request: WebSocketRequest, on session: NetworkSession,
        done: @escaping (Result<WebSocketReply, HTTPFailure>) -> Void
    ) {
        self.request = request
        loop = session.loop
        self.done = done
        isReachable = session.fault != .gone
        handshake = WebSocketHandshake(request, userAgent: session.userAgent)
        unsent = handshake.request[...]
        dial = WebSocketDial(request.address, authorities: session.authorities, on: loop)
        timer = Timer(on: loop)
        timer.unreference()
    }

    func start() {
        timer.start(after: request.openLimit) { [weak self] in
            self?.hasTimedOut = true
            self?.stop(.connect(.timedOut, host: self?.request.address.host ?? ""))
        }
        guard isReachable else {
            // Never before this returns.
            loop.atNextTurn { [self] in finish(.failure(.connect(.unreachable, host: request.address.host))) }
            return
        }
        dial.start { [self] result in
            switch result {
            case .success(let stream):
                guard done != nil else {
                    stream.close()
                    return
                }
                connected(stream)
            case .failure(let failure): finish(.failure(.connect(failure.cause, host: request.address.host)))
            }
        }
    }

    /// It ends with `cancelled`, at once.
    func cancel() { stop(.cancelled) }

    private func stop(_ failure: HTTPFailure) {
        dial.cancel()
        finish(.failure(failure))
    }

    private func connected(_ stream: WebSocketStream) {
        self.stream = stream
        stream.readable = { [unowned self] in read() }
        stream.writable = { [unowned self] in write() }
        stream.wantsInput = true
        stream.wantsOutput = true
    }

    private func write() {
        do throws(GLibError) {
            let outcome = unsent.withUnsafeBytes { bytes in Result { () throws(GLibError) in try stream?.write(bytes) }
            }
            guard let count = try outcome.get() else { return }
            unsent = unsent.dropFirst(count)
            if unsent.isEmpty { stream?.wantsOutput = false }
        } catch {
            failed(error)
        }
    }

    private func read() {
        do throws(GLibError) {
            var piece = [UInt8](repeating: 0, count: Self.piece)
            let outcome = piece.withUnsafeMutableBytes { bytes in
                Result { () throws(GLibError) in try stream?.read(into: bytes) }
            }
            guard let count = try outcome.get() else { return }
            guard count > 0 else {
                finish(.failure(.connect(.closedEarly, host: request.address.host)))
                return
            }
            received.append(contentsOf: piece[..<count])
        } catch {
            failed(error)
            return
        }
        do throws(WebSocketHandshake.Malformed) {
            try readHeads()
        } catch {
            finish(.failure(.reply(.notHTTP(error.words), status: error.status)))
        }
    }

    private func readHeads() throws(WebSocketHandshake.Malformed) {
        while let length = try WebSocketHandshake.headLength(received) {
            let outcome = try handshake.outcome(of: received[..<length])
            received.removeFirst(length)
            switch outcome {
            case .interim: continue
            case .refused(let status): finish(.success(.refused(status: status)))
            case .opened: opened()
            }
            return
        }
    }

    private func opened() {
        guard let stream else { return }
        self.stream = nil
        stream.wantsInput = false
        stream.wantsOutput = false
        finish(.success(.opened(WebSocket(request, over: stream, received: received, on: loop))))
    }

    private func failed(_ error: GLibError) {
        finish(.failure(.connect(ConnectCause(error, TrustCheck()), host: request.address.host)))
    }

    private func finish(_ result: Result<WebSocketReply, HTTPFailure>) {
        guard let done else { return }
        self.done = nil
        timer.close()
        stream?.close()
        stream = nil
        done(result)
    }
}

public enum WebSocketReply {
    case opened(WebSocket)
    case refused(status: Int)
}
