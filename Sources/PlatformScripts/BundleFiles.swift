internal import Glibc
public import JSEngine

extension PlatformScripts {
    /// Half of the pair: what the core's context evaluates, or what each component's does.
    public enum Bundle: String, Sendable, CaseIterable {
        case core, client

        /// The file of the user's own bundle, where `bundle.json` names no others.
        public var usualFile: String { "\(rawValue)-3nweb-client-lib.bundle.js" }
    }

    /// The list of the embedded core's files, and the one that a folder of the user's may have.
    static let listFile = "bundle.json"

    /// Scripts of one half, in order.
    ///
    /// The user's own half stands between the platform's own words for the wire, for the platform's capabilities
    /// (`core/contract/own-….js`), and the script that checks its names and fits it in (`core/contract/core.js`,
    /// `client.js`).
    public func files(of bundle: Bundle, with engine: JSEngineHost) throws(Missing) -> [String] {
        let embedded = try listed(bundle.rawValue, in: "core/", with: engine)
        guard bundles != nil else { return embedded }
        // Who lacks one half should not find that out when the first component starts.
        for half in Bundle.allCases {
            for name in try ownFiles(of: half, with: engine) {
                guard access(path(of: name), R_OK) == 0 else { throw missing(name) }
            }
        }
        let own = bundle == .client ? embedded : try listed("ipc", in: "core/", with: engine)
        return own + ["core/contract/own-\(bundle).js"] + (try ownFiles(of: bundle, with: engine))
            + ["core/contract/surface.js", "core/contract/\(bundle).js"]
    }

    /// Gives the core's context `__evaluateLater()`, which evaluates the scripts that the core's list has under `later`, in
    /// their order: what nobody needs before a user has signed in. A core takes it away; one without such scripts has none.
    public func provideLater(on engine: JSEngineHost) throws(Missing) {
        let names = try laterFiles(with: engine)
        guard !names.isEmpty else { return }
        engine.global.set(
            "__evaluateLater",
            engine.makeFunction { [self, unowned engine] _ in
                for name in names { try engine.evaluate(try text(name), sourceName: name) }
                return nil
            })
    }

    /// Gives the core's context `__evaluateRest()`, which `js/core-load.js` takes away: the embedded core's words for the wire,
    /// which a user's own bundle has at once, and what of the platform above the core can wait. A script that is missing is
    /// missed at once.
    public func provideRest(on engine: JSEngineHost) throws(Missing) {
        let words = bundles == nil ? try listed("ipc", in: "core/", with: engine) : []
        var scripts: [(name: String, text: String)] = []
        for name in words + Self.afterStart { scripts.append((name, try text(name))) }
        engine.global.set(
            "__evaluateRest",
            engine.makeFunction { [unowned engine] _ in
                for script in scripts { try engine.evaluate(script.text, sourceName: script.name) }
                scripts = []
                return nil
            })
    }

    private func laterFiles(with engine: JSEngineHost) throws(Missing) -> [String] {
        guard bundles != nil else { return try listed("later", in: "core/", with: engine) }
        let list = Self.bundlePrefix + Self.listFile
        guard access(path(of: list), F_OK) == 0,
            let later = engine.value(fromJSON: try text(list))?["later"], !later.isUndefined
        else { return [] }
        return try listed("later", in: Self.bundlePrefix, with: engine)
    }

    /// The files of the user's own half alone.
    public func ownFiles(of bundle: Bundle, with engine: JSEngineHost) throws(Missing) -> [String] {
        let list = Self.bundlePrefix + Self.listFile
        guard access(path(of: list), F_OK) == 0 else { return [Self.bundlePrefix + bundle.usualFile] }
        let files = try listed(bundle.rawValue, in: Self.bundlePrefix, with: engine)
        // The embedded core's folder is a pair of bundles like another.
        guard bundle == .core, let ipc = engine.value(fromJSON: try text(list))?["ipc"], !ipc.isUndefined else {
            return files
        }
        return try listed("ipc", in: Self.bundlePrefix, with: engine) + files
    }

    private func listed(
        _ key: String, in prefix: String, with engine: JSEngineHost
    ) throws(Missing) -> [String] {
        let file = prefix + Self.listFile
        let list = engine.value(fromJSON: try text(file))?[key]
        guard let list, let count = list["length"].integer, count > 0 else {
            throw missing(file, "no list of files under \"\(key)\"")
        }
        var names: [String] = []
        for index in 0..<count {
            guard let name = list[index].string else {
                throw missing(file, "element \(index) of \"\(key)\" is no text")
            }
            names.append(prefix + name)
        }
        return names
    }
}
