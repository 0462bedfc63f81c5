internal import Glibc

/// Where the parts of an installation, or of a checkout, stand.
public enum Installation {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Another program of the platform: it stands beside this one or in `../libexec/corehost`.
    public static func program(_ name: String) throws(Failure) -> String {
        let folder = folder(of: ownPath)
        let places = ["\(folder)/\(name)", "\(folder)/../libexec/corehost/\(name)"]
        guard let found = places.first(where: { access($0, X_OK) == 0 }) else {
            throw Failure(
                description: "no program \(name) at \(places.joined(separator: ", nor at ")); install or build the"
                    + " programs together")
        }
        return real(found)
    }

    /// The resources folder.
    ///
    /// - Parameter option: as given by the user; nil = `../share/corehost` of the folder of programs, else the checkout's
    ///   `Resources`.
    public static func resources(_ option: String?) throws(Failure) -> String {
        let candidates = option.map { [$0] } ?? usualResources(from: folder(of: ownPath))
        guard let found = candidates.first(where: { access($0 + "/js/core-load.js", R_OK) == 0 }) else {
            throw Failure(
                description: "no resources (js/core-load.js) in \(candidates.joined(separator: ", nor in ")); name"
                    + " their folder with --resources")
        }
        return real(found)
    }

    private static func usualResources(from folder: String) -> [String] {
        let programs = folder.hasSuffix("/libexec/corehost") ? folder + "/.." : folder
        var candidates = [programs + "/../share/corehost"]
        var above = folder
        while above.contains("/"), above != "/" {
            above = Self.folder(of: above)
            if access(above + "/Package.swift", R_OK) == 0 { candidates.append(above + "/Resources") }
        }
        return candidates
    }

    public static var ownPath: String { real("/proc/self/exe") }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The path with its links resolved, or as it is.
    public static func real(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
