internal import Control

/// What a supervisor takes from its installation.
struct ProgramPlaces {
    let resources: String
    let component: String
    /// Folder of the user's own core; nil = the embedded one.
    let bundles: String?

    /// `resources` and `core` as given by the user.
    init(resources: String?, core: String? = nil) throws(Installation.Failure) {
        self.resources = try Installation.resources(resources)
        component = try Installation.program("corehost-component")
        bundles = core.map(Installation.real)
    }
}
