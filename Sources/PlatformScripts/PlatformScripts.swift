internal import Glibc

/// Scripts of the platform in a resources folder, and the pair of bundles that a core is made of: the embedded one in
/// the same folder, or the user's own in another.
public struct PlatformScripts: Sendable {
    public let folder: String
    /// Folder of the user's own pair of bundles; nil = the embedded core's.
    public let bundles: String?

    public init(folder: String, bundles: String? = nil) {
        self.folder = folder
        self.bundles = bundles
    }

    /// Why a script cannot be had.
    public struct Missing: Error, Equatable, CustomStringConvertible {
        public let path: String
        public let reason: String
        /// It is of the user's own bundles.
        public let isOfUser: Bool

        public var description: String {
            let remedy =
                isOfUser
                ? "BUILDING.md says what a core's folder holds" : "the resources folder must be that of this corehost"
            return "\(path): \(reason); \(remedy)"
        }
    }

    /// Names of scripts that begin so are files of the user's own bundles; any other is a path below `folder`.
    public static let bundlePrefix = "bundle/"

    /// The platform above the core, in the order in which the core's context loads it behind the core's bundle.
    public static let aboveCore = [
        "js/core-cryptor.js", "js/autologin.js", "js/core-session.js", "js/core-load.js",
    ]

    /// What of it a core that nobody has signed in to does not need.
    static let afterStart = [
        "js/app-code.js", "js/app-requests.js", "js/app-manifests.js", "js/app-packs.js", "js/apps.js",
        "js/app-commands.js", "js/core-net.js", "js/core-events.js", "js/w3n-url.js", "js/rpc-connection.js",
        "js/rpc-broker.js", "js/start-commands.js", "js/fs-resources.js", "js/notifications.js", "js/shell-cap.js",
        "js/system-cap.js", "js/platform-caps.js",
    ]

    /// The text of the script `name`.
    public func text(_ name: String) throws(Missing) -> String {
        let path = path(of: name)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw missing(name) }
        defer { close(descriptor) }
        guard let size = Self.size(ofFile: descriptor), let text = Self.text(of: descriptor, size: size) else {
            throw missing(name)
        }
        return text
    }

    /// Nil: errno says why.
    static func size(ofFile descriptor: Int32) -> Int? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : nil
    }

    /// The first `size` bytes of a file, or all that it has now. Nil: errno says why.
    static func text(of descriptor: Int32, size: Int) -> String? {
        var failure: Int32 = 0
        let text = String(unsafeUninitializedCapacity: size) { buffer in
            var filled = 0
            while filled < size {
                let count = pread(descriptor, buffer.baseAddress.map { $0 + filled }, size - filled, off_t(filled))
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
        errno = failure
        return failure == 0 ? text : nil
    }

    /// Where the script `name` is.
    public func path(of name: String) -> String {
        guard let bundles, name.hasPrefix(Self.bundlePrefix) else { return "\(folder)/\(name)" }
        return "\(bundles)/\(name.dropFirst(Self.bundlePrefix.count))"
    }

    func missing(_ name: String, _ code: Int32 = errno) -> Missing {
        missing(name, code == ENOENT ? "no such file" : String(cString: strerror(code)))
    }

    func missing(_ name: String, _ reason: String) -> Missing {
        Missing(path: path(of: name), reason: reason, isOfUser: bundles != nil && name.hasPrefix(Self.bundlePrefix))
    }
}
