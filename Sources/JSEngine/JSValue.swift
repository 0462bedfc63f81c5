internal import CJSC
internal import Glibc

/// A JavaScript value as the engine's collector sees it: alive while it is on the stack or reachable from JavaScript.
/// Keep one longer with `JSReference`.
public struct JSValue {
    let raw: JSValueRef
    let context: JSContextRef

    init(_ raw: JSValueRef, in context: JSContextRef) {
        self.raw = raw
        self.context = context
    }

    /// JavaScriptCore takes a null value for `undefined` in some places and gives it in others.
    init(_ raw: JSValueRef?, orUndefinedIn context: JSContextRef) {
        self.init(raw ?? JSValueMakeUndefined(context), in: context)
    }

    public var isUndefined: Bool { JSValueIsUndefined(context, raw) }
    public var isNull: Bool { JSValueIsNull(context, raw) }
    public var isObject: Bool { JSValueIsObject(context, raw) }
    public var isString: Bool { JSValueIsString(context, raw) }
    public var isFunction: Bool { object.map { JSObjectIsFunction(context, $0) } ?? false }

    /// Nil for anything but a boolean.
    public var boolean: Bool? { JSValueIsBoolean(context, raw) ? JSValueToBoolean(context, raw) : nil }

    /// Nil for anything but a number.
    public var number: Double? { JSValueIsNumber(context, raw) ? JSValueToNumber(context, raw, nil) : nil }

    /// Nil for anything but a whole number within ±(2^53 - 1).
    public var integer: Int? {
        guard let number, number.rounded(.towardZero) == number, abs(number) <= 9_007_199_254_740_991 else {
            return nil
        }
        return Int(number)
    }

    /// Nil for anything but a string.
    public var string: String? { isString ? text : nil }

    /// `String(value)`; nil where that throws.
    public var text: String? {
        guard let copy = JSValueToStringCopy(context, raw, nil) else { return nil }
        defer { JSStringRelease(copy) }
        return String(jsString: copy)
    }

    /// `JSON.stringify(value)`; nil for what has no JSON form, or where that throws.
    public var json: String? {
        guard let copy = JSValueCreateJSONString(context, raw, 0, nil) else { return nil }
        defer { JSStringRelease(copy) }
        return String(jsString: copy)
    }

    /// The property, or `undefined`; also where this is no object or a getter throws.
    public subscript(_ name: JSName) -> JSValue {
        guard let object else { return JSValue(nil, orUndefinedIn: context) }
        return withExtendedLifetime(name) {
            JSValue(JSObjectGetProperty(context, object, name.raw, nil), orUndefinedIn: context)
        }
    }

    public subscript(_ name: String) -> JSValue { self[JSName(name)] }

    public subscript(_ index: Int) -> JSValue {
        guard let object else { return JSValue(nil, orUndefinedIn: context) }
        return JSValue(JSObjectGetPropertyAtIndex(context, object, UInt32(index), nil), orUndefinedIn: context)
    }

    public func set(_ name: String, _ value: JSValue) {
        guard let object else { return }
        let name = JSName(name)
        withExtendedLifetime(name) { JSObjectSetProperty(context, object, name.raw, value.raw, 0, nil) }
    }

    public func delete(_ name: String) {
        guard let object else { return }
        let name = JSName(name)
        withExtendedLifetime(name) { _ = JSObjectDeleteProperty(context, object, name.raw, nil) }
    }

    /// Names of the first own enumerable members; nil where that throws. By `Object.keys`, because what the engine's own
    /// entry lets a proxy throw stays behind in the engine, and fails the next call.
    func memberNames(atMost count: Int) -> [String]? {
        let global = JSValue(JSContextGetGlobalObject(context), orUndefinedIn: context)
        guard isObject, let keys = global["Object"]["keys"].object else { return nil }
        var argument: JSValueRef? = raw
        var exception: JSValueRef?
        let names = JSValue(
            JSObjectCallAsFunction(context, keys, nil, 1, &argument, &exception), orUndefinedIn: context)
        guard exception == nil, let length = names["length"].integer else { return nil }
        return (0..<min(count, length)).compactMap { names[$0].string }
    }

    static let mostElements = 10_000

    public var isArray: Bool { JSValueIsArray(context, raw) }

    /// Nil for anything but an array of at most `mostElements`.
    var elements: [JSValue]? {
        guard isArray, let count = self["length"].integer, count <= Self.mostElements else {
            return nil
        }
        return (0..<count).map { self[$0] }
    }

    /// Nil for anything but an object that is no array and has at most `mostElements` members.
    var members: [(name: String, value: JSValue)]? {
        guard isObject, !isFunction, !isBytes, !isArray else { return nil }
        guard let names = memberNames(atMost: Self.mostElements + 1), names.count <= Self.mostElements else {
            return nil
        }
        return names.map { ($0, self[$0]) }
    }

    var isBytes: Bool { isObject && JSValueGetTypedArrayType(context, raw, nil) != kJSTypedArrayTypeNone }

    /// Whether this is a string with half of a surrogate pair; such a half becomes U+FFFD in `string`.
    var hasLoneSurrogates: Bool {
        guard isString, let copy = JSValueToStringCopy(context, raw, nil) else { return false }
        defer { JSStringRelease(copy) }
        let units = UnsafeBufferPointer(start: JSStringGetCharactersPtr(copy), count: JSStringGetLength(copy))
        var isPairOpen = false
        for unit in units {
            let isTrailing = UTF16.isTrailSurrogate(unit)
            if isTrailing != isPairOpen { return true }
            isPairOpen = UTF16.isLeadSurrogate(unit)
        }
        return isPairOpen
    }

    /// An object's reference is its value's: `JSValueToObject` would give the same, but takes the engine's lock for it.
    var object: JSObjectRef? { isObject ? raw : nil }
}

/// A property name, made once and used often.
public final class JSName {
    let raw: JSStringRef

    public init(_ text: String) { raw = text.makeJSString() }

    deinit { JSStringRelease(raw) }
}

/// Keeps a value alive, for use after the current call has returned. Made and let go on the engine's thread, and let go
/// before the engine is closed.
public final class JSReference {
    public let value: JSValue

    public init(_ value: JSValue) {
        self.value = value
        JSValueProtect(value.context, value.raw)
    }

    deinit { JSValueUnprotect(value.context, value.raw) }
}

extension String {
    /// Halves of surrogate pairs become U+FFFD. The engine's own conversion ends at the first of them.
    init(jsString: JSStringRef) {
        let capacity = JSStringGetMaximumUTF8CStringSize(jsString)
        self.init(unsafeUninitializedCapacity: capacity) { buffer in
            let written = JSStringGetUTF8CString(
                jsString, UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self), capacity)
            return Swift.max(0, written - 1)
        }
        let count = JSStringGetLength(jsString)
        if utf16.count != count {
            self.init(
                decoding: UnsafeBufferPointer(start: JSStringGetCharactersPtr(jsString), count: count), as: UTF16.self)
        }
    }

    /// To be released by the caller. The engine's UTF-8 entry stops at a NUL, so a text with one goes in as UTF-16.
    func makeJSString() -> JSStringRef {
        let hasNUL = utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
        }
        if hasNUL ?? utf8.contains(0) {
            let units = Array(utf16)
            return JSStringCreateWithCharacters(units, units.count)
        }
        return withCString { JSStringCreateWithUTF8CString($0) }
    }
}
