internal import Cryptography
public import EventLoop
public import JSEngine

/// The ports of the cryptor group. Short computations are done at once, which is cheaper than the way to a thread and
/// back; others on threads of their own.
///
/// Arguments of up to 64 KiB are copied; longer ones are read where they are and must not change until the promise is
/// settled.
public final class CryptorInjectedFns {
    /// Messages up to so many bytes are short: that takes some 40 µs.
    static let mostAtOnce = 16 << 10
    let pool: CryptorPool

    public convenience init(loop: Loop) { self.init(pool: CryptorPool(on: loop)) }

    init(pool: CryptorPool) { self.pool = pool }

    /// Ends what is under way in the pool and gives up the rest; to be called before the engine is closed.
    public func close() { pool.close() }

    public func registerAll(on engine: JSEngineHost) {
        registerSecretBox(on: engine)
        registerPieces(on: engine)
        registerBox(on: engine)
        registerSigning(on: engine)
        engine.registerPort(CryptorPorts.keyedHash) { [self] arguments in
            try arguments.require([1: KeyedHash.keyLength])
            let count = arguments.whole(2)
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try KeyedHash.digest(input[0], key: input[1], count: count)
            }
        }
        engine.registerPort(CryptorPorts.sha256) { [self] arguments in
            try compute(arguments, over: 0) { input throws(CryptorError) in try Hashing.sha256(of: input[0]) }
        }
        engine.registerPort(CryptorPorts.scrypt) { [self] in try scrypt($0) }
        engine.registerPort(CryptorPorts.threads) { [pool] in $0.engine.number(Double(pool.limit)) }
    }

    private func registerSecretBox(on engine: JSEngineHost) {
        engine.registerPort(CryptorPorts.packSecretBox) { [self] arguments in
            try arguments.require([1: SecretBox.nonceLength, 2: SecretBox.keyLength])
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try SecretBox.pack(input[0], nonce: input[1], key: input[2])
            }
        }
        engine.registerPort(CryptorPorts.packSecretBoxWithNonce) { [self] arguments in
            try arguments.require([1: SecretBox.nonceLength, 2: SecretBox.keyLength])
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try SecretBox.pack(input[0], nonce: input[1], key: input[2], withNonce: true)
            }
        }
        engine.registerPort(CryptorPorts.openSecretBox) { [self] arguments in
            try arguments.require([1: SecretBox.nonceLength, 2: SecretBox.keyLength])
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try SecretBox.open(input[0], nonce: input[1], key: input[2])
            }
        }
        engine.registerPort(CryptorPorts.openSecretBoxWithNonce) { [self] arguments in
            try arguments.require([1: SecretBox.keyLength])
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try SecretBox.open(withNonce: input[0], key: input[1])
            }
        }
    }

    private func registerBox(on engine: JSEngineHost) {
        let keys = [2: PublicBox.publicKeyLength, 3: PublicBox.secretKeyLength]
        engine.registerPort(CryptorPorts.boxKeyPair) { [self] arguments in
            try compute(arguments, over: 0, { _ throws(CryptorError) in try PublicBox.keyPair() }, Self.pair)
        }
        engine.registerPort(CryptorPorts.boxPublicKey) { [self] arguments in
            try arguments.require([0: PublicBox.secretKeyLength])
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try PublicBox.publicKey(of: input[0])
            }
        }
        engine.registerPort(CryptorPorts.boxSharedKey) { [self] arguments in
            try arguments.require([0: PublicBox.publicKeyLength, 1: PublicBox.secretKeyLength])
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try PublicBox.sharedKey(publicKey: input[0], secretKey: input[1])
            }
        }
        engine.registerPort(CryptorPorts.packBox) { [self] arguments in
            try arguments.require(keys.merging([1: SecretBox.nonceLength]) { $1 })
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try PublicBox.pack(input[0], nonce: input[1], publicKey: input[2], secretKey: input[3])
            }
        }
        engine.registerPort(CryptorPorts.openBox) { [self] arguments in
            try arguments.require(keys.merging([1: SecretBox.nonceLength]) { $1 })
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try PublicBox.open(input[0], nonce: input[1], publicKey: input[2], secretKey: input[3])
            }
        }
    }

    private func registerSigning(on engine: JSEngineHost) {
        engine.registerPort(CryptorPorts.signingKeyPair) { [self] arguments in
            try arguments.require([0: Signing.seedLength])
            return try compute(
                arguments, over: 0, { input throws(CryptorError) in try Signing.keyPair(seed: input[0]) }, Self.pair)
        }
        engine.registerPort(CryptorPorts.signature) { [self] arguments in
            try arguments.require([1: Signing.secretKeyLength])
            return try compute(arguments, over: 0) { input throws(CryptorError) in
                try Signing.signature(of: input[0], secretKey: input[1])
            }
        }
        engine.registerPort(CryptorPorts.verify) { [self] arguments in
            try arguments.require([0: Signing.signatureLength, 2: Signing.publicKeyLength])
            return try compute(
                arguments, over: 1,
                { input throws(CryptorError) in Signing.verify(input[0], of: input[1], publicKey: input[2]) },
                { $0.boolean($1) })
        }
    }

    private func scrypt(_ arguments: PortArguments) throws -> JSValue {
        let parameters: Scrypt.Parameters
        do throws(ScryptLimit) {
            parameters = try Scrypt.Parameters(
                logN: arguments.whole(2), r: arguments.whole(3), p: arguments.whole(4), length: arguments.whole(5))
        } catch {
            throw arguments.bad(2, "\(error)")
        }
        for index in [0, 1] { try arguments.requireLength(index, atMost: PortInputs.longest) }
        let inputs = PortInputs(of: arguments)
        let promise = arguments.engine.makePromise()
        let engine = arguments.engine
        let callback = arguments.isLeftOut(6) ? nil : JSReference(arguments[6])
        let progress: ((Int) -> Void)? = callback.map { callback in
            { percent in engine.perform(callback.value, [engine.number(Double(percent))]) }
        }
        let (password, salt) = (inputs.list[0], inputs.list[1])
        do throws(CryptorError) {
            try pool.runLong(
                { pause throws(CryptorError) in
                    try Scrypt.derive(password: password, salt: salt, parameters, pause: pause)
                }, progress: progress
            ) { result in
                withExtendedLifetime(inputs) { promise.settle(result) { $0.bytes($1) } }
            }
        } catch {
            promise.reject(error.exception)
        }
        return promise.value
    }

    private static func pair(_ engine: JSEngineHost, _ pair: KeyPair) -> JSValue {
        let object = engine.makeObject()
        object.set("skey", engine.bytes(pair.secretKey))
        object.set("pkey", engine.bytes(pair.publicKey))
        return object
    }

    private func compute(
        _ arguments: PortArguments, over message: Int,
        _ body: @escaping @Sendable ([InputBytes]) throws(CryptorError) -> ResultBytes
    ) throws -> JSValue {
        try compute(arguments, over: message, body) { $0.bytes($1) }
    }

    /// A promise for what `body` makes of the arguments that are bytes; at once where the message, which is one of them,
    /// is short.
    private func compute<Value: Sendable>(
        _ arguments: PortArguments, over message: Int,
        _ body: @escaping @Sendable ([InputBytes]) throws(CryptorError) -> Value,
        _ answer: @escaping (JSEngineHost, Value) -> JSValue
    ) throws -> JSValue {
        let count = arguments[message].bytes?.count ?? 0
        let promise = arguments.engine.makePromise()
        if count <= Self.mostAtOnce {
            let inputs = PortInputs(of: arguments, copyingUpTo: 0)
            promise.settle(Result { () throws(CryptorError) in try body(inputs.list) }, answer)
            return promise.value
        }
        try arguments.requireLength(message, atMost: PortInputs.longest)
        let inputs = PortInputs(of: arguments)
        let list = inputs.list
        do throws(CryptorError) {
            try pool.run({ () throws(CryptorError) in try body(list) }) { result in
                withExtendedLifetime(inputs) { promise.settle(result, answer) }
            }
        } catch {
            promise.reject(error.exception)
        }
        return promise.value
    }
}

extension JSPromise {
    func settle<Value>(
        _ result: Result<Value, CryptorError>, _ answer: (JSEngineHost, Value) -> JSValue
    ) {
        switch result {
        case .success(let value): resolve { answer($0, value) }
        case .failure(let error): reject(error.exception)
        }
    }
}

extension CryptorError {
    /// `{type: "cryptor", <flag>: true, message}`.
    var exception: RuntimeException {
        let flag =
            switch self {
            case .failedVerification: "failedCipherVerification"
            case .weakPublicKey: "weakPublicKey"
            case .outOfMemory: "outOfMemory"
            case .busy: "busy"
            case .noThread: "noThread"
            case .stopped: "stopped"
            }
        return RuntimeException(type: "cryptor", [flag: .flag(true), "message": .text("\(self)")])
    }
}
