/// A path of the file and assets ports: names joined by `/`, relative to the ports' folder; `.` is that folder. Read as
/// bytes: to Swift a slash with a combining mark behind it is another character, to the kernel it is a slash.
struct ConfinedPath {
    /// PATH_MAX less the final NUL.
    static let mostBytes = 4095

    /// As the caller gave it.
    let given: String
    /// Without `.` names; `.` alone for the folder itself.
    let text: String

    /// The same up to the last name.
    var parent: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return String(text[..<slash])
    }

    /// Without `.`; none for the folder itself.
    var names: [String] {
        text == "." ? [] : text.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// The last one.
    var name: String? {
        guard text != "." else { return nil }
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
        return String(text[text.utf8.index(after: slash)...])
    }

    /// Throws EPERM for what could leave the folder or is not a plain path: `..`, absolute paths, empty names, NUL.
    init(_ given: String) throws(ConfinedFailure) {
        self.given = given
        let bytes = given.utf8
        guard bytes.count <= Self.mostBytes else {
            throw ConfinedFailure(
                code: "ENAMETOOLONG", path: given, "is \(bytes.count) bytes long; a path has at most \(Self.mostBytes)")
        }
        guard !bytes.contains(0) else { throw .notPermitted(given, "holds a NUL; no file's name does") }
        var hasDot = false
        var (length, dots) = (0, 0)
        func endOfName() throws(ConfinedFailure) {
            if length == 0 {
                throw .notPermitted(
                    given, "is absolute, empty or has an empty name; give names joined by single slashes")
            }
            if length == 2, dots == 2 { throw .notPermitted(given, "goes up; name a path inside the folder") }
            if length == 1, dots == 1 { hasDot = true }
            (length, dots) = (0, 0)
        }
        for byte in bytes {
            if byte == UInt8(ascii: "/") {
                try endOfName()
            } else {
                length += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
            }
        }
        try endOfName()
        guard hasDot else {
            text = given
            return
        }
        let names = bytes.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
        text = names.isEmpty ? "." : names.joined(separator: "/")
    }
}
