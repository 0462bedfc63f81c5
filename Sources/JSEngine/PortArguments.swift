/// The arguments of one call of a port, as its signature has them; valid only during that call.
public struct PortArguments {
    let list: JSArguments
    public let signature: PortSignature

    public var engine: JSEngineHost { list.engine }
    public var count: Int { list.count }

    /// `undefined` past the end.
    public subscript(_ index: Int) -> JSValue { list[index] }

    /// Throws for the first argument that is not as declared.
    func check() throws(RuntimeException) {
        for (index, parameter) in signature.parameters.enumerated() {
            let value = self[index]
            if parameter.isOptional && isLeftOut(index) { continue }
            guard parameter.kind.accepts(value) else {
                throw bad(index, "must be \(parameter.kind.description), not \(seen(index))")
            }
            if case .bytes = parameter.kind, engine.isResizable(value) {
                throw bad(index, "is over a buffer that can be resized; give a copy (`.slice()` makes one)")
            }
        }
    }

    // MARK: What was checked

    /// A string argument. Throws for one with lone surrogates.
    public func text(_ index: Int) throws(RuntimeException) -> String { try wellFormed(self[index], index) }

    public func optionalText(_ index: Int) throws(RuntimeException) -> String? {
        isLeftOut(index) ? nil : try text(index)
    }

    public func whole(_ index: Int) -> Int { self[index].integer ?? 0 }

    public func optionalWhole(_ index: Int) -> Int? { self[index].integer }

    public func number(_ index: Int) -> Double { self[index].number ?? 0 }

    /// False where it is left out.
    public func flag(_ index: Int) -> Bool { self[index].boolean ?? false }

    /// In place: see `JSValue.bytes`.
    public func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        self[index].bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    public func optionalBytes(_ index: Int) -> UnsafeRawBufferPointer? { self[index].bytes }

    /// Empty where it is left out.
    public func texts(_ index: Int) throws(RuntimeException) -> [String] {
        var texts: [String] = []
        for element in self[index].elements ?? [] { texts.append(try wellFormed(element, index)) }
        return texts
    }

    /// Empty where it is left out; in the order of the object's members.
    public func record(_ index: Int) throws(RuntimeException) -> [(name: String, value: String)] {
        var members: [(name: String, value: String)] = []
        for (name, value) in self[index].members ?? [] { members.append((name, try wellFormed(value, index))) }
        return members
    }

    public func isLeftOut(_ index: Int) -> Bool { self[index].isUndefined || self[index].isNull }

    /// The exception for an argument that is wrong in a way that its declaration does not tell.
    public func bad(_ index: Int, _ message: String) -> RuntimeException {
        let name = index < signature.parameters.count ? signature.parameters[index].name : "argument \(index + 1)"
        return .badArgument(port: signature.name, "\(name) \(message)")
    }

    /// The argument for a message, cut where it is long. Of objects only what they are: a getter or a list of
    /// thousands of millions must not hold the engine.
    public func seen(_ index: Int) -> String {
        let value = self[index]
        if let bytes = value.bytes { return "\(bytes.count) bytes" }
        if value.isFunction { return "a function" }
        if value.isArray { return "an array of \(value["length"].integer ?? 0)" }
        if value.isObject { return "an object" }
        if let string = value.string, string.utf8.count > 80 { return "\"\(string.prefix(80))…\"" }
        // JSON knows no NaN.
        if value.number != nil { return value.text ?? "a number" }
        return value.json ?? value.text ?? "a symbol"
    }

    private func wellFormed(_ value: JSValue, _ index: Int) throws(RuntimeException) -> String {
        guard let text = value.string else { throw bad(index, "changed while it was read; give plain values") }
        // Only a text with U+FFFD, whose first byte this is, can have had one.
        if text.utf8.contains(0xEF), value.hasLoneSurrogates {
            throw bad(index, "has half of a surrogate pair; give well-formed text (`toWellFormed()` makes it so)")
        }
        return text
    }
}
