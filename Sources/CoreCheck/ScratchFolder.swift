internal import Glibc

/// A folder for one check, in `$TMPDIR` or `/tmp`, for its user alone.
struct ScratchFolder: Sendable {
    let path: String

    init() throws(CoreCheck.Failure) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        var template = Array("\(parent.isEmpty ? "/tmp" : parent)/corehost-core-check-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            let place = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw .scratch("\(place): \(String(cString: strerror(errno))); name a folder that takes files in TMPDIR")
        }
        path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for name in ["fs", "apps"] where mkdir("\(path)/\(name)", 0o700) != 0 {
            let code = errno
            remove()
            throw .scratch("\(path)/\(name): \(String(cString: strerror(code))); free some space there")
        }
    }

    /// With all that is in it; what cannot be removed stays, and its path is given.
    @discardableResult
    func remove() -> String? {
        Self.empty(path)
        return rmdir(path) == 0 || errno == ENOENT ? nil : path
    }

    /// What cannot be removed is seen by `rmdir` of the folder above.
    private static func empty(_ path: String) {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            let inner = "\(path)/\(name)"
            if unlink(inner) != 0, errno == EISDIR {
                empty(inner)
                rmdir(inner)
            }
        }
    }
}
