internal import Foundation
internal import Glibc

/// A folder of its own for one test, removed when the value goes.
public final class TemporaryFolder: Sendable {
    /// A real path, short enough for sockets.
    public let path: String

    public struct Failure: Error {
        public let errno: Int32
    }

    public init() throws {
        var template = Array("/tmp/corehost-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure(errno: errno) }
        path = String(cString: made)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(path): \(error)") }
    }

    /// Text of a file in it; empty if there is none.
    public func text(of name: String) -> String {
        guard let bytes = FileManager.default.contents(atPath: "\(path)/\(name)") else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sorted names in it or in a folder of it; empty if there is none.
    public func names(in folder: String = "") -> [String] {
        guard let entries = opendir("\(path)/\(folder)") else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
