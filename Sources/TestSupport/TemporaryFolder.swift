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
        Leftovers.add(folder: path)
    }

    deinit {
        Leftovers.remove(folder: path)
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

    /// Writes a file, with the folders above it; gives its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }
}

public struct TestFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
