internal import CJSC
internal import Glibc

extension JSEngineHost {
    public var undefined: JSValue { JSValue(JSValueMakeUndefined(context), in: context) }
    public var null: JSValue { JSValue(JSValueMakeNull(context), in: context) }
    public var global: JSValue { JSValue(globalObject, in: context) }

    public func boolean(_ value: Bool) -> JSValue { JSValue(JSValueMakeBoolean(context, value), in: context) }

    public func number(_ value: Double) -> JSValue { JSValue(JSValueMakeNumber(context, value), in: context) }

    public func string(_ text: String) -> JSValue {
        let copy = text.makeJSString()
        defer { JSStringRelease(copy) }
        return JSValue(JSValueMakeString(context, copy), in: context)
    }

    public func makeObject() -> JSValue { JSValue(JSObjectMake(context, nil, nil), orUndefinedIn: context) }

    /// An array of what `value` makes of each element.
    ///
    /// The collector sees values on the stack and those that JavaScript reaches, but none in a Swift array: each is put
    /// in its place before the next one is made.
    public func array<Element>(_ elements: [Element], _ value: (Element) -> JSValue) -> JSValue {
        let array = JSValue(JSObjectMakeArray(context, 0, nil, nil), orUndefinedIn: context)
        guard let object = array.object else { return array }
        for (index, element) in elements.enumerated() {
            JSObjectSetPropertyAtIndex(context, object, UInt32(index), value(element).raw, nil)
        }
        return array
    }

    /// `JSON.parse(text)`; nil where that fails.
    public func value(fromJSON text: String) -> JSValue? {
        let copy = text.makeJSString()
        defer { JSStringRelease(copy) }
        guard let raw = JSValueMakeFromJSONString(context, copy) else { return nil }
        return JSValue(raw, in: context)
    }

    /// A `Uint8Array` over memory from `malloc`, which is the engine's from now on: nothing is copied.
    public func bytes(takingOwnershipOf pointer: UnsafeMutableRawPointer?, count: Int) -> JSValue {
        // The engine frees only what it was given: an empty array still needs a place.
        let memory = pointer ?? malloc(1)
        let raw = JSObjectMakeTypedArrayWithBytesNoCopy(
            context, kJSTypedArrayTypeUint8Array, memory, count, { bytes, _ in free(bytes) }, nil, nil)
        return JSValue(raw, orUndefinedIn: context)
    }

    /// A `Uint8Array` with a copy of `bytes`.
    public func bytes(copying bytes: UnsafeRawBufferPointer) -> JSValue {
        let memory = malloc(max(1, bytes.count))
        if let memory, let base = bytes.baseAddress { memcpy(memory, base, bytes.count) }
        return self.bytes(takingOwnershipOf: memory, count: memory == nil ? 0 : bytes.count)
    }

    public func bytes(copying bytes: [UInt8]) -> JSValue { bytes.withUnsafeBytes { self.bytes(copying: $0) } }
}

extension JSValue {
    /// The bytes under a typed array or an `ArrayBuffer`, in place; nil for anything else. They stay where they are as
    /// long as the value lives (its buffer can no longer be detached), and JavaScript may still change them.
    public var bytes: UnsafeRawBufferPointer? {
        guard let object else { return nil }
        let type = JSValueGetTypedArrayType(context, raw, nil)
        if type == kJSTypedArrayTypeNone { return nil }
        if type == kJSTypedArrayTypeArrayBuffer {
            return UnsafeRawBufferPointer(
                start: JSObjectGetArrayBufferBytesPtr(context, object, nil),
                count: JSObjectGetArrayBufferByteLength(context, object, nil))
        }
        let count = JSObjectGetTypedArrayByteLength(context, object, nil)
        guard let base = JSObjectGetTypedArrayBytesPtr(context, object, nil), count > 0 else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        // The engine gives the place of the whole buffer.
        return UnsafeRawBufferPointer(start: base + JSObjectGetTypedArrayByteOffset(context, object, nil), count: count)
    }
}
