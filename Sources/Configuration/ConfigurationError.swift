/// A configuration file that cannot be used as it is. Says the file, the place in it, what is there and what would do.
public struct ConfigurationError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// Named by the user, and not there.
        case missing
        case unreadable(String)
        /// The parser's words, with line and column.
        case syntax(String)
        case unknownKey(known: [String])
        case wrongType(seen: String, expected: String)
        case notInRange(seen: String, allowed: String)
    }

    public let file: String
    /// As in `components."chat.app".backoff.first`; empty for the whole file.
    public let keyPath: String
    public let reason: Reason
}

extension ConfigurationError: CustomStringConvertible {
    public var description: String {
        let place = keyPath.isEmpty ? file : "\(file): \(keyPath)"
        return switch reason {
        case .missing: "\(place): no such file; make it, or leave --config out to run with the defaults"
        case .unreadable(let why): "\(place): cannot be read: \(why)"
        case .syntax(let why): "\(place): not JSON with comments: \(why)"
        case .unknownKey(let known): "\(place): unknown key; known here: \(known.joined(separator: ", "))"
        case .wrongType(let seen, let expected): "\(place): is \(seen); write \(expected)"
        case .notInRange(let seen, let allowed): "\(place): is \(seen); allowed: \(allowed)"
        }
    }
}
