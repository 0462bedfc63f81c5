internal import CJSC
internal import CSystem
internal import Glibc

extension JSEngineHost {
    /// Registers the native handler of a port that JavaScript calls as `__nativeCallDispatch(name, arguments)`. The
    /// handler gives a value, or a promise. It runs only with arguments that are as declared.
    public func registerPort(
        _ signature: PortSignature, _ handler: @escaping (PortArguments) throws -> JSValue?
    ) {
        precondition(ports[signature.name] == nil, "\(label): port \(signature.name) was registered twice")
        ports[signature.name] = (signature, handler)
    }

    /// Names of the registered ports, sorted.
    public var portNames: [String] { ports.keys.sorted() }

    public func registerCommonPorts() {
        registerPort(CommonPorts.delay) { arguments in
            arguments.engine.delay(milliseconds: UInt64(arguments.number(0).rounded(.up)))
        }
        registerPort(CommonPorts.cryptoRandom) { arguments in
            try arguments.engine.randomBytes(arguments.whole(0))
        }
    }

    private func randomBytes(_ count: Int) throws -> JSValue {
        guard let memory = malloc(max(1, count)) else {
            throw RuntimeException.badArgument(
                port: CommonPorts.cryptoRandom.name, "no memory for \(count) bytes")
        }
        guard chs_random(memory, count) == 0 else { preconditionFailure("getrandom failed with errno \(errno)") }
        return bytes(takingOwnershipOf: memory, count: count)
    }

    /// Installs `__nativeCallDispatch` over the registered ports.
    public func installDispatcher() {
        let dispatch = makeFunction { [unowned self] arguments in
            guard let name = arguments[0].string else {
                throw RuntimeException.badArgument(port: "__nativeCallDispatch", "the port's name must be a string")
            }
            guard let port = ports[name] else { throw RuntimeException.notImplemented(port: name) }
            let list = arguments[1]
            let count = list["length"].integer ?? 0
            guard count >= 0, count <= 16 else {
                throw RuntimeException.badArgument(port: name, "\(count) arguments are more than any port takes")
            }
            return try withUnsafeTemporaryAllocation(of: JSValueRef?.self, capacity: count) { raws in
                for index in 0..<count { raws.initializeElement(at: index, to: list[index].raw) }
                let list = JSArguments(pointer: UnsafePointer(raws.baseAddress), count: count, engine: self)
                let arguments = PortArguments(list: list, signature: port.signature)
                try arguments.check()
                return try port.handler(arguments)
            }
        }
        global.set("__nativeCallDispatch", dispatch)
    }
}

/// The ports of every context.
public enum CommonPorts {
    static let delay = PortSignature(
        "delay", [.init("millis", .number(0...2_147_483_647))], gives: "promise of nothing",
        "Resolves when the time has passed; fractions are rounded up.")
    static let cryptoRandom = PortSignature(
        "crypto_random", [.init("numOfBytes", .whole(0...1_048_576))], gives: "`Uint8Array`",
        "Bytes of the kernel's random generator.")

    public static let group = PortGroup("Every context", [delay, cryptoRandom])
}
