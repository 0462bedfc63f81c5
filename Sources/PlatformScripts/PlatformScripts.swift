internal import Glibc
public import JSEngine

/// Scripts of the platform in a resources folder.
public struct PlatformScripts: Sendable {
    public let folder: String

    public init(folder: String) { self.folder = folder }

    /// Why a script cannot be had.
    public struct Missing: Error, Equatable, CustomStringConvertible {
        public let path: String
        public let reason: String

        public var description: String { "\(path): \(reason); the resources folder must be that of this corehost" }
    }

    /// The text of the file `name`, a path below the folder.
    public func text(_ name: String) throws(Missing) -> String {
        let path = "\(folder)/\(name)"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw missing(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw missing(path) }
        let size = Int(status.st_size)
        var failure: Int32 = 0
        let text = String(unsafeUninitializedCapacity: size) { buffer in
            var filled = 0
            while filled < size {
                let count = read(descriptor, buffer.baseAddress.map { $0 + filled }, size - filled)
                if count > 0 {
                    filled += count
                } else if count == 0 {
                    break
                } else if errno != EINTR {
                    failure = errno
                    break
                }
            }
            return filled
        }
        guard failure == 0 else { throw Missing(path: path, reason: "errno \(failure)") }
        return text
    }

    private func missing(_ path: String) -> Missing {
        Missing(path: path, reason: errno == ENOENT ? "no such file" : "errno \(errno)")
    }

    public enum Bundle: String, Sendable {
        case core, client
    }

    /// Names of the files that make up a bundle, in order.
    public func files(of bundle: Bundle, with engine: JSEngineHost) throws(Missing) -> [String] {
        let path = "core/bundle.json"
        let list = engine.value(fromJSON: try text(path))?[bundle.rawValue]
        guard let list, let count = list["length"].integer, count > 0 else {
            throw Missing(path: "\(folder)/\(path)", reason: "no list of files under \"\(bundle.rawValue)\"")
        }
        var names: [String] = []
        for index in 0..<count {
            guard let name = list[index].string else {
                throw Missing(
                    path: "\(folder)/\(path)", reason: "element \(index) of \"\(bundle.rawValue)\" is no text")
            }
            names.append("core/\(name)")
        }
        return names
    }
}
