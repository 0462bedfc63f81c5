/// What a port takes and gives. Arguments are checked by it before the port's handler runs, and `docs/ports.md` is
/// rendered from it.
public struct PortSignature: Sendable {
    public let name: String
    public let parameters: [Parameter]
    /// The result in words, with its shape.
    public let result: String
    /// Types of the exceptions besides that of bad arguments, and what they are for.
    public let exceptions: String?
    public let meaning: String

    public init(
        _ name: String, _ parameters: [Parameter] = [], gives result: String, throws exceptions: String? = nil,
        _ meaning: String
    ) {
        self.name = name
        self.parameters = parameters
        self.result = result
        self.exceptions = exceptions
        self.meaning = meaning
    }

    /// One argument of a port, by its position.
    public struct Parameter: Sendable {
        public let name: String
        public let kind: Kind
        /// `undefined` and `null` both leave it out.
        public let isOptional: Bool

        public init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
            self.name = name
            self.kind = kind
            self.isOptional = isOptional
        }
    }

    public enum Kind: Sendable {
        case text
        /// A string that is not empty and holds no NUL.
        case word
        /// A string; what is wrong with it as a path is an exception of its own.
        case path
        /// A typed array or an `ArrayBuffer`.
        case bytes
        case whole(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        case flag
        case choice([String])
        /// An array of strings.
        case texts
        /// An object whose members are strings.
        case record
        case function
    }
}

/// Signatures that belong together, in the order of the documentation.
public struct PortGroup: Sendable {
    public let title: String
    public let ports: [PortSignature]

    public init(_ title: String, _ ports: [PortSignature]) {
        self.title = title
        self.ports = ports
    }
}

extension PortSignature.Kind {
    /// In words, for messages and documentation.
    public var description: String {
        switch self {
        case .text: "a string"
        case .word: "a non-empty string without NUL"
        case .path: "a path as a string"
        case .bytes: "a Uint8Array"
        case .whole(let range) where range.upperBound == Self.largest:
            "a whole number from \(range.lowerBound) on"
        case .whole(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
        case .flag: "a boolean"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .texts: "an array of at most \(JSValue.mostElements) strings"
        case .record: "an object of at most \(JSValue.mostElements) strings"
        case .function: "a function"
        }
    }

    /// The largest whole number that JavaScript counts exactly.
    public static let largest = 9_007_199_254_740_991

    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    /// By type and range. Texts are checked for lone surrogates when they are taken.
    func accepts(_ value: JSValue) -> Bool {
        switch self {
        case .text, .path: value.isString
        case .word: value.string.map { !$0.isEmpty && !$0.utf8.contains(0) } ?? false
        case .bytes: value.isBytes
        case .whole(let range): value.integer.map(range.contains) ?? false
        case .number(let range): value.number.map(range.contains) ?? false
        case .flag: value.boolean != nil
        case .choice(let words): value.string.map(words.contains) ?? false
        case .texts: value.elements.map { $0.allSatisfy(\.isString) } ?? false
        case .record: value.members.map { $0.allSatisfy(\.value.isString) } ?? false
        case .function: value.isFunction
        }
    }
}
