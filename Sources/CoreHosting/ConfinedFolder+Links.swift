internal import Glibc

extension ConfinedFolder {
    /// What a link leads to, as it was given when the link was made. Bytes that are not UTF-8 come as U+FFFD.
    func linkTarget(_ given: String) throws(ConfinedFailure) -> String {
        let place = try openPlace(try ConfinedPath(given), O_NOFOLLOW)
        guard try place.info(given).kind == .link else {
            throw ConfinedFailure(code: "EINVAL", path: given, "is no link; lstat tells what it is")
        }
        var target = [UInt8](repeating: 0, count: ConfinedPath.mostBytes + 1)
        let number = place.number
        let count = try confinedCall(given) { readlinkat(number, "", &target, target.count) }
        return String(decoding: target.prefix(count), as: UTF8.self)
    }

    /// Refused with EPERM, and not made: a link whose target, read from where the link stands, would leave the folder.
    /// Whether something is there is of no concern. A target that stays inside only by its names, because a folder on
    /// the way is a link itself, is made and leads nowhere: what follows links asks the kernel.
    func makeLink(_ given: String, to target: String) throws(ConfinedFailure) {
        let path = try ConfinedPath(given)
        try Self.requireInside(target, from: path)
        try inParent(of: path) { (parent, name) throws(ConfinedFailure) in
            _ = try confinedCall(given) { symlinkat(target, parent, name) }
        }
    }

    private static func requireInside(_ target: String, from path: ConfinedPath) throws(ConfinedFailure) {
        let bytes = target.utf8
        guard bytes.count <= ConfinedPath.mostBytes else {
            throw ConfinedFailure(
                code: "ENAMETOOLONG", path: path.given,
                "the target is \(bytes.count) bytes long; a path has at most \(ConfinedPath.mostBytes)")
        }
        var depth = path.names.count - 1
        for name in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !name.isEmpty, !name.contains(0) else {
                throw .notPermitted(
                    path.given,
                    "the target is absolute, empty, or has an empty name or a NUL; give names joined by single slashes")
            }
            if name.elementsEqual("..".utf8) { depth -= 1 } else if !name.elementsEqual(".".utf8) { depth += 1 }
            guard depth >= 0 else {
                throw .notPermitted(path.given, "the target leaves the folder; link to a path inside it")
            }
        }
    }
}
