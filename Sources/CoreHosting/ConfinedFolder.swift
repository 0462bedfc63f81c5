internal import CSystem
internal import Glibc

/// A folder whose content is reached through its descriptor alone: no path, and no link that changes meanwhile, leads out
/// of it (`openat2` with `RESOLVE_BENEATH`). Every member may wait for the disk, and may be used on any thread.
///
/// What follows links (`info`, reading, writing, opening, listing) follows those that stay inside and refuses others with
/// EPERM. What works on an entry (`makeFolder`, `rename`, `removeFile`, `removeFolder`) takes a link for itself, whereas
/// folders on the way may be links that stay inside.
final class ConfinedFolder: Sendable {
    private let root: ConfinedDescriptor

    init(at path: String) throws(ConfinedFailure) {
        let number = try confinedCall(path) { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        root = ConfinedDescriptor(takingOwnershipOf: number)
    }

    /// Makes the folder, for the owner alone, if it is not there. What is above it must be.
    convenience init(makingIfAbsent path: String) throws(ConfinedFailure) {
        if mkdir(path, 0o700) == -1, errno != EEXIST { throw ConfinedFailure(errno: errno, path: path) }
        try self.init(at: path)
    }

    func open(_ path: ConfinedPath, _ flags: Int32, mode: UInt64 = 0) throws(ConfinedFailure) -> ConfinedDescriptor {
        try opened(path, chs_open_beneath(root.number, path.text, UInt64(flags), mode))
    }

    /// A descriptor that stands for the place and opens nothing there.
    func openPlace(_ path: ConfinedPath, _ flags: Int32 = 0) throws(ConfinedFailure) -> ConfinedDescriptor {
        try opened(path, chs_open_place_beneath(root.number, path.text, UInt64(flags)))
    }

    /// Runs `body` with the descriptor of the folder that the path's last name stands in, and that name.
    func inParent<Value>(
        of path: ConfinedPath, _ body: (Int32, String) throws(ConfinedFailure) -> Value
    ) throws(ConfinedFailure) -> Value {
        guard let name = path.name else { throw Self.isTheFolderItself(path.given) }
        let parent = try openParent(of: path)
        return try body(parent.number, name)
    }

    static func isTheFolderItself(_ given: String) -> ConfinedFailure {
        .notPermitted(given, "is the folder that everything is in; it stays as it is")
    }

    /// - Parameter toSync: opened for real, which takes the right to read it.
    func openParent(of path: ConfinedPath, toSync: Bool = false) throws(ConfinedFailure) -> ConfinedDescriptor {
        try opened(
            path,
            toSync
                ? chs_open_beneath(root.number, path.parent, UInt64(O_RDONLY | O_DIRECTORY), 0)
                : chs_open_place_beneath(root.number, path.parent, UInt64(O_DIRECTORY)))
    }

    /// Whether the kernel knows, without asking the disk, that nothing stands at the path.
    func isKnownMissing(_ given: String, followingLink: Bool) -> Bool {
        // What is no path is told of by those who use it.
        guard let path = try? ConfinedPath(given) else { return false }
        let number = chs_open_place_if_cached(root.number, path.text, UInt64(followingLink ? 0 : O_NOFOLLOW))
        if number == -1 { return errno == ENOENT }
        Glibc.close(number)
        return false
    }

    /// The folder at `step`, a path on the way to `path`; nil when nothing is there.
    func openStep(_ step: String, of path: ConfinedPath) throws(ConfinedFailure) -> ConfinedDescriptor? {
        let number = chs_open_place_beneath(root.number, step, UInt64(O_DIRECTORY))
        if number == -1, errno == ENOENT { return nil }
        return try opened(path, number)
    }

    private func opened(_ path: ConfinedPath, _ number: Int32) throws(ConfinedFailure) -> ConfinedDescriptor {
        if number != -1 { return ConfinedDescriptor(takingOwnershipOf: number) }
        // openat(2): EXDEV is a path that would leave, ENXIO a pipe without a reader or a socket.
        switch errno {
        case EXDEV: throw .notPermitted(path.given, "leaves the folder through a link; name a path inside it")
        case ENXIO: throw .notFile(path.given)
        default: throw ConfinedFailure(errno: errno, path: path.given)
        }
    }
}
