internal import CJSC
internal import CSystem
internal import Glibc

extension JSEngineHost {
    /// Registers the native handler of a port that JavaScript calls as `__nativeCallDispatch(name, arguments)`. The
    /// handler gives a value, or a promise.
    public func registerPort(_ name: String, _ handler: @escaping (JSArguments) throws -> JSValue?) {
        precondition(ports[name] == nil, "\(label): port \(name) was registered twice")
        ports[name] = handler
    }

    /// Names of the registered ports, sorted.
    public var portNames: [String] { ports.keys.sorted() }

    /// The ports of every context: `delay` and `crypto_random`.
    public func registerCommonPorts() {
        registerPort("delay") { arguments in
            guard let milliseconds = arguments[0].number, milliseconds >= 0, milliseconds <= 2_147_483_647 else {
                throw RuntimeException.badArgument(
                    port: "delay",
                    "milliseconds must be from 0 to 2147483647, not \(arguments[0].text ?? "that")")
            }
            return arguments.engine.delay(milliseconds: UInt64(milliseconds.rounded(.up)))
        }
        registerPort("crypto_random") { arguments in
            let most = 1 << 20
            guard let count = arguments[0].integer, count >= 0, count <= most else {
                throw RuntimeException.badArgument(
                    port: "crypto_random",
                    "the number of bytes must be from 0 to \(most), not \(arguments[0].text ?? "that")")
            }
            return try arguments.engine.randomBytes(count)
        }
    }

    private func randomBytes(_ count: Int) throws -> JSValue {
        guard let memory = malloc(max(1, count)) else {
            throw RuntimeException.badArgument(port: "crypto_random", "no memory for \(count) bytes")
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
            guard let handler = ports[name] else { throw RuntimeException.notImplemented(port: name) }
            let list = arguments[1]
            let count = list["length"].integer ?? 0
            guard count >= 0, count <= 16 else {
                throw RuntimeException.badArgument(port: name, "\(count) arguments are more than any port takes")
            }
            return try withUnsafeTemporaryAllocation(of: JSValueRef?.self, capacity: count) { raws in
                for index in 0..<count { raws.initializeElement(at: index, to: list[index].raw) }
                return try handler(JSArguments(pointer: UnsafePointer(raws.baseAddress), count: count, engine: self))
            }
        }
        global.set("__nativeCallDispatch", dispatch)
    }
}
