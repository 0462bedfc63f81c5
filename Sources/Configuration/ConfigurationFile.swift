internal import Glibc

/// Reading of the file's bytes.
package enum ConfigurationFile {
    static let limit = 1 << 20

    /// Nil when there is no such file.
    package static func read(_ path: String) throws(ConfigurationError) -> String? {
        guard let file = fopen(path, "re") else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw unreadable(path, String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw unreadable(path, String(cString: strerror(errno))) }
        guard count <= limit else { throw unreadable(path, "over the limit of \(limit) bytes") }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw unreadable(path, "not UTF-8 text")
        }
        return text
    }

    private static func unreadable(_ path: String, _ why: String) -> ConfigurationError {
        ConfigurationError(file: path, reason: .unreadable(why))
    }
}
