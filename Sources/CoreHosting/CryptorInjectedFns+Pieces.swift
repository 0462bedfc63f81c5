internal import Cryptography
internal import JSEngine

extension CryptorInjectedFns {
    func registerPieces(on engine: JSEngineHost) {
        engine.registerPort(CryptorPorts.sealPieces) { [self] arguments in
            let inputs = try piecesInputs(arguments)
            let pieces = SealedPieces(
                ofMessage: inputs.list[0], pieceLength: arguments.whole(2), first: arguments.whole(3))
            let (message, key) = (inputs.list[0], inputs.list[1])
            return work(arguments, inputs, pieces, into: { () throws(CryptorError) in try pieces.roomForSealed() }) {
                (some, sealed) throws(CryptorError) in
                try pieces.seal(some, of: message, key: key, into: sealed)
            }
        }
        engine.registerPort(CryptorPorts.openPieces) { [self] arguments in
            let inputs = try piecesInputs(arguments)
            let (sealed, key) = (inputs.list[0], inputs.list[1])
            let room = arguments.optionalWhole(4) ?? 0
            guard
                let pieces = SealedPieces(
                    in: sealed, pieceLength: arguments.whole(2), first: arguments.whole(3))
            else {
                let promise = arguments.engine.makePromise()
                promise.reject(CryptorError.failedVerification(bytes: sealed.bytes.count).exception)
                return promise.value
            }
            return work(
                arguments, inputs, pieces, into: { () throws(CryptorError) in try pieces.roomForMessage(behind: room) }
            ) {
                (some, message) throws(CryptorError) in
                try pieces.open(some, of: sealed, key: key, into: message, behind: room)
            }
        }
    }

    private func piecesInputs(_ arguments: PortArguments) throws -> PortInputs {
        try arguments.require([1: SealedPieces.keyLength])
        try arguments.requireLength(0, atMost: PortInputs.longest)
        let isShort = arguments.bytes(0).count <= Self.mostAtOnce
        return PortInputs(of: arguments, copyingUpTo: isShort ? 0 : PortInputs.mostCopied)
    }

    /// A promise for what `body` makes of all pieces, shared among the threads; at once where they are short.
    private func work(
        _ arguments: PortArguments, _ inputs: PortInputs, _ pieces: SealedPieces,
        into room: () throws(CryptorError) -> ResultBytes,
        _ body: @escaping @Sendable (Range<Int>, ResultBytes) throws(CryptorError) -> Void
    ) -> JSValue {
        let promise = arguments.engine.makePromise()
        do throws(CryptorError) {
            let result = try room()
            if arguments.bytes(0).count <= Self.mostAtOnce {
                try body(0..<pieces.count, result)
                promise.resolve { $0.bytes(result) }
                return promise.value
            }
            let shares = Shares(of: min(pool.limit, pieces.count)) { outcome in
                withExtendedLifetime(inputs) { promise.settle(outcome.map { result }) { $0.bytes($1) } }
            }
            for share in 0..<shares.count {
                let some = pieces.count * share / shares.count..<pieces.count * (share + 1) / shares.count
                do throws(CryptorError) {
                    try pool.run({ () throws(CryptorError) in try body(some, result) }, done: shares.finish)
                } catch {
                    shares.finish(.failure(error))
                }
            }
        } catch {
            promise.reject(error.exception)
        }
        return promise.value
    }
}

/// Parts of one computation, which is over when all of them are, and fails as the first that did.
private final class Shares {
    let count: Int
    private var left: Int
    private var outcome: Result<Void, CryptorError> = .success(())
    private let done: (Result<Void, CryptorError>) -> Void

    init(of count: Int, done: @escaping (Result<Void, CryptorError>) -> Void) {
        self.count = count
        left = count
        self.done = done
    }

    func finish(_ part: Result<Void, CryptorError>) {
        if case .success = outcome { outcome = part }
        left -= 1
        if left == 0 { done(outcome) }
    }
}
