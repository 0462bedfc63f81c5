internal import CICU
internal import CJSC
internal import CUTF8
internal import Glibc

/// Memory that JavaScript and native code both see, for texts on their way: what JavaScript copies in here need not be
/// reached by its own array, whose buffer the engine could then no longer detach or grow.
final class TextRoom {
    static let size = 1 << 16
    /// One byte more than JavaScript knows of, for the NUL that the engine wants behind a text.
    let bytes: UnsafeMutablePointer<UInt8>
    /// What a call tells beside its value: two numbers.
    let progress: UnsafeMutablePointer<UInt32>
    private var arrays: [JSReference] = []

    init(in native: JSValue, of engine: JSEngineHost) {
        bytes = .allocate(capacity: Self.size + 1)
        progress = .allocate(capacity: 2)
        progress.initialize(repeating: 0, count: 2)
        share(bytes, Self.size, kJSTypedArrayTypeUint8Array, as: "room", in: native, of: engine)
        share(progress, 8, kJSTypedArrayTypeUint32Array, as: "progress", in: native, of: engine)
    }

    private func share(
        _ memory: UnsafeMutableRawPointer, _ size: Int, _ type: JSTypedArrayType, as name: String, in native: JSValue,
        of engine: JSEngineHost
    ) {
        // Freed with the engine's array, which lives as long as this.
        let array = JSObjectMakeTypedArrayWithBytesNoCopy(
            engine.context, type, memory, size, { memory, _ in free(memory) }, nil, nil)
        let value = JSValue(array, orUndefinedIn: engine.context)
        native.set(name, value)
        arrays.append(JSReference(value))
    }
}

extension JSEngineHost {
    /// The longest ASCII text that goes in as UTF-8, which the engine keeps with a byte for each character but reads more
    /// slowly than UTF-16: 128 bytes take as long either way.
    private static let longestNarrow = 128

    /// Text conversions in `native` (`docs/architecture.md`, "Every context").
    func installText(in native: JSValue) {
        let room = TextRoom(in: native, of: self)
        textRoom = room
        native.set("encodeUtf8", makeFunction { [unowned self] arguments in try encoded(arguments[0]) })
        native.set(
            "encodeUtf8Into",
            makeFunction { [unowned self] arguments in
                let most = min(max(arguments[1].integer ?? 0, 0), TextRoom.size)
                withUnits(of: arguments[0]) { units in
                    let done = chu_encode(units.baseAddress, units.count, room.bytes, most)
                    room.progress[0] = UInt32(done.read)
                    room.progress[1] = UInt32(done.written)
                }
                return nil
            })
        native.set(
            "decodeUtf8",
            makeFunction { [unowned self] arguments in
                let flags = arguments[1].integer ?? 0
                let limit = arguments[2].isObject ? Int.max : TextRoom.size
                let count = min(max(arguments[0].integer ?? 0, 0), limit)
                guard let given = arguments[2].bytes else {
                    return decoded(room.bytes, count, goesOn: flags & 1 != 0, isFatal: flags & 2 != 0)
                }
                guard let start = given.baseAddress else { return string("") }
                return decoded(
                    start.assumingMemoryBound(to: UInt8.self), min(count, given.count), goesOn: flags & 1 != 0,
                    isFatal: flags & 2 != 0)
            })
        native.set(
            "domainToASCII", makeFunction { [unowned self] arguments in domainToASCII(arguments[0]) })
        native.set(
            "isProxy",
            makeFunction { [unowned self] arguments in
                boolean(arguments[0].object.map { chj_is_proxy($0) } ?? false)
            })
    }

    /// The UTF-16 units of `String(value)`; none where that throws.
    private func withUnits<Result>(
        of value: JSValue, _ body: (UnsafeBufferPointer<UInt16>) throws -> Result
    ) rethrows
        -> Result
    {
        guard let text = JSValueToStringCopy(context, value.raw, nil) else {
            return try body(UnsafeBufferPointer(start: nil, count: 0))
        }
        defer { JSStringRelease(text) }
        return try body(UnsafeBufferPointer(start: JSStringGetCharactersPtr(text), count: JSStringGetLength(text)))
    }

    private func encoded(_ value: JSValue) throws -> JSValue {
        try withUnits(of: value) { units in
            let size = chu_encoded_size(units.baseAddress, units.count)
            guard let memory = malloc(max(1, size)) else { throw JSThrow(makeError("no memory for \(size) bytes")) }
            _ = chu_encode(units.baseAddress, units.count, memory.assumingMemoryBound(to: UInt8.self), size)
            return bytes(takingOwnershipOf: memory, count: size)
        }
    }

    /// Null when the bytes are malformed and that is fatal.
    private func decoded(_ bytes: UnsafePointer<UInt8>, _ count: Int, goesOn: Bool, isFatal: Bool) -> JSValue {
        textRoom?.progress[0] = 0
        if count <= Self.longestNarrow, let room = textRoom, room.bytes == bytes, chu_is_plain(bytes, count) {
            room.bytes[count] = 0
            return ownedString(
                room.bytes.withMemoryRebound(to: CChar.self, capacity: count + 1) { JSStringCreateWithUTF8CString($0) })
        }
        return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: max(1, count)) { units in
            let done = chu_decode(bytes, count, goesOn, units.baseAddress)
            textRoom?.progress[0] = UInt32(done.kept)
            if done.malformed && isFatal { return null }
            return ownedString(JSStringCreateWithCharacters(units.baseAddress, done.written))
        }
    }

    private func ownedString(_ text: JSStringRef?) -> JSValue {
        guard let text else { return undefined }
        defer { JSStringRelease(text) }
        return JSValue(JSValueMakeString(context, text), orUndefinedIn: context)
    }

    /// Null for a domain that is not valid.
    private func domainToASCII(_ value: JSValue) -> JSValue {
        withUnits(of: value) { domain in
            guard let count = Int32(exactly: domain.count) else { return null }
            var room = max(256, count)
            while true {
                let text: JSValue? = withUnsafeTemporaryAllocation(of: UInt16.self, capacity: Int(room)) { ascii in
                    let size = chi_domain_to_ascii(domain.baseAddress, count, ascii.baseAddress, room)
                    if size > room {
                        room = size
                        return nil
                    }
                    return size < 0 ? null : ownedString(JSStringCreateWithCharacters(ascii.baseAddress, Int(size)))
                }
                if let text { return text }
            }
        }
    }
}
