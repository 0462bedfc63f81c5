/// Folders that the core plane works with.
public struct CorePlaces: Sendable {
    /// With `js/` and `core/`.
    public let resources: String
    public let apps: String
    /// Base of the file ports.
    public let files: String
    /// PEM file of authorities that are trusted beside the system's.
    public let authorities: String?
    /// Largest body of a frame on a data pipe, in bytes.
    public let frameLimit: UInt32

    public static let defaultFrameLimit: UInt32 = 64 << 20

    public init(
        resources: String, apps: String, files: String, authorities: String? = nil,
        frameLimit: UInt32 = CorePlaces.defaultFrameLimit
    ) {
        self.resources = resources
        self.apps = apps
        self.files = files
        self.authorities = authorities
        self.frameLimit = frameLimit
    }

    var packs: String { resources + "/app-packs" }
}
