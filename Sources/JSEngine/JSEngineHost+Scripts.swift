extension JSEngineHost {
    /// Lets `__native.loadScript(name)` evaluate what `read(name)` gives; names are paths below `js/` of the resources.
    /// To be called before `common-preload.js`, which takes `__native` away.
    public func provideScripts(_ read: @escaping (_ name: String) throws -> String) {
        let load = makeFunction { [unowned self] arguments in
            guard let name = arguments[0].string else {
                throw RuntimeException.badArgument(port: "loadScript", "the script's name must be a string")
            }
            return try evaluate(try read(name), sourceName: "js/\(name)")
        }
        global["__native"].set("loadScript", load)
    }
}
