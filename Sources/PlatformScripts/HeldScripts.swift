internal import Glibc

/// The scripts of one folder, held open: they can be read when no file can be opened any more, and cost no memory until
/// then.
public final class HeldScripts {
    private struct File {
        let descriptor: Int32
        let size: Int
    }

    private let scripts: PlatformScripts
    private let files: [String: File]

    /// - Parameter folder: as in the names of scripts, `js/lazy`.
    public init(of scripts: PlatformScripts, in folder: String) throws(PlatformScripts.Missing) {
        self.scripts = scripts
        guard let listing = opendir(scripts.path(of: folder)) else {
            // Then the script that is wanted first is what is named as missing.
            guard errno == ENOENT else { throw scripts.missing(folder) }
            files = [:]
            return
        }
        defer { closedir(listing) }
        var files: [String: File] = [:]
        while let entry = readdir(listing) {
            let file = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard file.hasSuffix(".js") else { continue }
            let name = "\(folder)/\(file)"
            let descriptor = open(scripts.path(of: name), O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0, let size = PlatformScripts.size(ofFile: descriptor) else {
                throw scripts.missing(name)
            }
            files[name] = File(descriptor: descriptor, size: size)
        }
        self.files = files
    }

    /// The text of the script `name`.
    public func text(_ name: String) throws(PlatformScripts.Missing) -> String {
        guard let file = files[name] else { throw scripts.missing(name, ENOENT) }
        guard let text = PlatformScripts.text(of: file.descriptor, size: file.size) else { throw scripts.missing(name) }
        return text
    }

    deinit { for file in files.values { close(file.descriptor) } }
}
