internal import Glibc

/// Removes all that is in the folder `name` of `parent`, which must be a folder and no link. Holds a few descriptors and
/// one list of names per level, so any depth is handled. A folder that is moved away meanwhile ends it with EBUSY.
func confinedEmpty(_ name: String, in parent: Int32, _ path: String) throws(ConfinedFailure) {
    var current = try openFolder(name, in: parent, path)
    var levels = [try EmptyingLevel(current, path)]
    while true {
        if let folder = levels[levels.count - 1].folders.popLast() {
            let next = try openFolder(folder, in: current.number, path)
            levels[levels.count - 1].under = folder
            levels.append(try EmptyingLevel(next, path))
            current = next
        } else if levels.count > 1 {
            levels.removeLast()
            let above = levels[levels.count - 1]
            current = try openFolder("..", in: current.number, path)
            guard try current.info(path).isSame(as: above.info) else {
                throw ConfinedFailure(code: "EBUSY", path: path, "was moved while it was being removed; try again")
            }
            let number = current.number
            _ = try confinedCall(path) { unlinkat(number, above.under, AT_REMOVEDIR) }
        } else {
            return
        }
    }
}

/// One open folder on the way down.
private struct EmptyingLevel {
    let info: ConfinedInfo
    /// Folders in it that still stand.
    var folders: [String] = []
    /// The one that is being emptied.
    var under = ""

    /// Removes everything but folders.
    init(_ folder: borrowing ConfinedDescriptor, _ path: String) throws(ConfinedFailure) {
        info = try folder.info(path)
        let number = folder.number
        let names = try confinedNames(in: try openFolder(".", in: number, path), path)
        for name in names {
            do throws(ConfinedFailure) {
                _ = try confinedCall(path) { unlinkat(number, name, 0) }
            } catch {
                switch error.code {
                case "EISDIR": folders.append(name)
                case "ENOENT": continue  // somebody else was faster
                default: throw error
                }
            }
        }
    }
}

private func openFolder(_ name: String, in parent: Int32, _ path: String) throws(ConfinedFailure) -> ConfinedDescriptor
{
    ConfinedDescriptor(
        takingOwnershipOf: try confinedCall(path) {
            openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        })
}
