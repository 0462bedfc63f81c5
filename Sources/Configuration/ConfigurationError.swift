/// A configuration file that cannot be used as it is. Says the file, the place in it, what is there and what would do.
public struct ConfigurationError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// Named by the user, and not there.
        case missing
        case unreadable(String)
        case syntax(String)
        case unknownKey(known: [String])
        case wrongType(seen: String, expected: String)
        case notInRange(seen: String, allowed: String)
        /// With other keys or with defaults.
        case contradiction(String)
    }

    public let file: String
    /// Counted from 1; nil where it is the file that is wrong.
    public let line: Int?
    public let column: Int?
    /// As in `components."chat.app".backoff.first`; empty for the whole file.
    public let keyPath: String
    public let reason: Reason

    package init(file: String, _ place: Place? = nil, keyPath: String = "", reason: Reason) {
        self.file = file
        line = place?.line
        column = place?.column
        self.keyPath = keyPath
        self.reason = reason
    }
}

extension ConfigurationError: CustomStringConvertible {
    public var description: String {
        let numbers = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
        let subject = file + numbers + (keyPath.isEmpty ? "" : ": \(keyPath)")
        return switch reason {
        case .missing: "\(subject): no such file; make it, or leave the option out to run with the defaults"
        case .unreadable(let why): "\(subject): cannot be read: \(why)"
        case .syntax(let why): "\(subject): not JSON with comments: \(why)"
        case .unknownKey(let known): "\(subject): unknown key; known here: \(known.joined(separator: ", "))"
        case .wrongType(let seen, let expected): "\(subject): is \(seen); write \(expected)"
        case .notInRange(let seen, let allowed): "\(subject): is \(seen); allowed: \(allowed)"
        case .contradiction(let what): "\(subject): \(what)"
        }
    }
}
