/// What the core plane works with: folders, and what `corehost run` was asked for.
public struct CorePlaces: Sendable {
    /// With `js/` and `core/`.
    public let resources: String
    /// Folder of the pair of bundles; nil = the embedded core's, which are in the resources.
    public let bundles: String?
    public let apps: String
    /// Bundled app packs; need not be there.
    public let packs: String
    /// Base of the file ports.
    public let files: String
    /// Of the key store; outside the file ports' base.
    public let keys: String
    /// PEM file of authorities that are trusted beside the system's.
    public let authorities: String?
    /// URLs that TXT records are asked from, in this order; none = the platform's own list.
    public let dohResolvers: [String]
    /// Domains that may have the `system` capability beside the platform's own.
    public let systemApps: [String]
    /// One local user without a password, signed in at once.
    public let isLocal: Bool
    /// The only user who may be signed in automatically; nil = whoever it is set for.
    public let expectedUser: String?
    /// Nil where nothing starts the platform but its user.
    public let autoStartup: AutoStartup?
    /// Largest body of a frame on a data pipe, in bytes.
    public let frameLimit: UInt32

    public static let defaultFrameLimit: UInt32 = 64 << 20

    public init(
        resources: String, bundles: String? = nil, apps: String, packs: String? = nil, files: String, keys: String,
        authorities: String? = nil, dohResolvers: [String] = [], systemApps: [String] = [], isLocal: Bool = true,
        expectedUser: String? = nil, autoStartup: AutoStartup? = nil,
        frameLimit: UInt32 = CorePlaces.defaultFrameLimit
    ) {
        self.resources = resources
        self.bundles = bundles
        self.apps = apps
        self.packs = packs ?? resources + "/bundled-app-packs"
        self.files = files
        self.keys = keys
        self.authorities = authorities
        self.dohResolvers = dohResolvers
        self.systemApps = systemApps
        self.isLocal = isLocal
        self.expectedUser = expectedUser
        self.autoStartup = autoStartup
        self.frameLimit = frameLimit
    }
}
