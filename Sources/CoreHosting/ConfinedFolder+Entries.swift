internal import CSystem
internal import Glibc

extension ConfinedFolder {
    func info(_ given: String, followingLink: Bool) throws(ConfinedFailure) -> ConfinedInfo {
        let path = try ConfinedPath(given)
        return try openPlace(path, followingLink ? 0 : O_NOFOLLOW).info(given)
    }

    /// Names in the order of the disk, without `.` and `..`. Bytes that are not UTF-8 come as U+FFFD.
    func names(in given: String) throws(ConfinedFailure) -> [String] {
        let path = try ConfinedPath(given)
        return try confinedNames(in: try open(path, O_RDONLY | O_DIRECTORY), given)
    }

    /// With `recursive` makes what is missing above it too, and a folder that is there is no failure.
    func makeFolder(_ given: String, recursive: Bool) throws(ConfinedFailure) {
        let path = try ConfinedPath(given)
        if recursive { return try makeFolders(path) }
        guard path.name != nil else { throw ConfinedFailure(errno: EEXIST, path: given) }
        try inParent(of: path) { (parent, name) throws(ConfinedFailure) in
            _ = try confinedCall(given) {
                chs_disk_write(Int32(CHS_DISK_DATA.rawValue)) == 0 ? mkdirat(parent, name, 0o700) : -1
            }
        }
    }

    private func makeFolders(_ path: ConfinedPath) throws(ConfinedFailure) {
        var parent = try openPlace(try ConfinedPath("."))
        var step = ""
        for (index, name) in path.names.enumerated() {
            step += index == 0 ? name : "/\(name)"
            do throws(ConfinedFailure) {
                if let folder = try openStep(step, of: path) {
                    parent = folder
                    continue
                }
                let number = parent.number
                // Made by somebody else meanwhile is as good.
                if mkdirat(number, name, 0o700) == -1, errno != EEXIST {
                    throw ConfinedFailure(errno: errno, path: path.given)
                }
                guard let folder = try openStep(step, of: path) else {
                    throw ConfinedFailure(errno: ENOENT, path: path.given)
                }
                parent = folder
            } catch {
                let isLast = index == path.names.count - 1
                throw isLast && error.code == "ENOTDIR" ? ConfinedFailure(errno: EEXIST, path: path.given) : error
            }
        }
    }

    /// Replaces a file, or an empty folder by a folder, that stands at `newPath`.
    func rename(_ oldPath: String, to newPath: String) throws(ConfinedFailure) {
        let (old, new) = (try ConfinedPath(oldPath), try ConfinedPath(newPath))
        try inParent(of: old) { (oldParent, oldName) throws(ConfinedFailure) in
            try inParent(of: new) { (newParent, newName) throws(ConfinedFailure) in
                do throws(ConfinedFailure) {
                    _ = try confinedCall(oldPath) { renameat(oldParent, oldName, newParent, newName) }
                } catch {
                    // rename(2): these are about what stands at the new path.
                    let aboutNew = ["EEXIST", "ENOTEMPTY", "EISDIR", "ENOTDIR"].contains(error.code)
                    throw ConfinedFailure(code: error.code, path: aboutNew ? newPath : oldPath, error.reason)
                }
            }
        }
    }

    /// A link is removed, not what it leads to.
    func removeFile(_ given: String) throws(ConfinedFailure) {
        try inParent(of: try ConfinedPath(given)) { (parent, name) throws(ConfinedFailure) in
            _ = try confinedCall(given) { unlinkat(parent, name, 0) }
        }
    }

    /// An empty folder, or with `recursive` a folder and all that it holds.
    func removeFolder(_ given: String, recursive: Bool) throws(ConfinedFailure) {
        try inParent(of: try ConfinedPath(given)) { (parent, name) throws(ConfinedFailure) in
            if recursive { try confinedEmpty(name, in: parent, given) }
            _ = try confinedCall(given) { unlinkat(parent, name, AT_REMOVEDIR) }
        }
    }
}

/// Names in an open folder, whose descriptor is used up.
func confinedNames(in folder: consuming ConfinedDescriptor, _ path: String) throws(ConfinedFailure) -> [String] {
    guard let stream = fdopendir(folder.number) else { throw ConfinedFailure(errno: errno, path: path) }
    _ = folder.take()
    defer { closedir(stream) }
    var names: [String] = []
    while true {
        errno = 0
        guard let entry = readdir(stream) else {
            if errno != 0 { throw ConfinedFailure(errno: errno, path: path) }
            return names
        }
        // An entry is as long as its name needs, so it is read in place.
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { preconditionFailure("dirent has no name") }
        let name = String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
        if name != ".", name != ".." { names.append(name) }
    }
}
