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
    let parent: String
    /// Without `.`; none for the folder itself.
    let names: [String]

    /// The last one.
    var name: String? { names.last }

    /// Throws EPERM for what could leave the folder or is not a plain path: `..`, absolute paths, empty names, NUL.
    init(_ given: String) throws(ConfinedFailure) {
        self.given = given
        let bytes = given.utf8
        guard bytes.count <= Self.mostBytes else {
            throw ConfinedFailure(
                code: "ENAMETOOLONG", path: given, "is \(bytes.count) bytes long; a path has at most \(Self.mostBytes)")
        }
        guard !bytes.contains(0) else { throw .notPermitted(given, "holds a NUL; no file's name does") }
        var names: [String] = []
        for name in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if name.isEmpty {
                throw .notPermitted(
                    given, "is absolute, empty or has an empty name; give names joined by single slashes")
            }
            if name.elementsEqual("..".utf8) { throw .notPermitted(given, "goes up; name a path inside the folder") }
            if !name.elementsEqual(".".utf8) { names.append(String(Substring(name))) }
        }
        self.names = names
        text = names.isEmpty ? "." : names.joined(separator: "/")
        parent = names.count < 2 ? "." : names.dropLast().joined(separator: "/")
    }
}
