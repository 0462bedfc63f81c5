internal import Glibc

/// Where the parts of an installation, or of a checkout, stand.
public struct ProgramPlaces {
    let resources: String
    let component: String
    /// Folder of the user's own core; nil = the embedded one.
    let bundles: String?

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// - Parameters:
    ///   - core: folder of the user's own core, as given.
    ///   - resources: as given by the user; nil = `<program>/../share/corehost`, else the checkout's `Resources`.
    init(resources: String?, core: String? = nil) throws(Failure) {
        self.resources = try Self.resources(resources)
        let folder = Self.folder(of: Self.ownPath)
        let programs = ["\(folder)/corehost-component", "\(folder)/../libexec/corehost/corehost-component"]
        guard let component = programs.first(where: { access($0, X_OK) == 0 }) else {
            throw Failure(
                description: "no program corehost-component at \(programs.joined(separator: ", nor at ")); install"
                    + " or build both programs together")
        }
        self.component = Self.real(component)
        bundles = core.map(Self.real)
    }

    /// The resources folder; `option` as `init` takes it.
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
        var candidates = [folder + "/../share/corehost"]
        var above = folder
        while above.contains("/"), above != "/" {
            above = Self.folder(of: above)
            if access(above + "/Package.swift", R_OK) == 0 { candidates.append(above + "/Resources") }
        }
        return candidates
    }

    private static var ownPath: String { real("/proc/self/exe") }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func real(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
