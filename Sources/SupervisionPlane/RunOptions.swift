/// What `corehost run` was asked for.
public struct RunOptions: Sendable, Equatable {
    /// A local user without a password, in place of accounts.
    public var isLocal: Bool
    /// The only user who may log in; nil = any.
    public var expectedUser: String?
    /// Absolute real path; need not exist.
    public var dataFolder: String
    /// As given; nil = the apps that stand with the resources.
    public var appsFolder: String?
    /// As given; nil = the packs that stand with the resources.
    public var packsFolder: String?
    /// As given; nil = beside the program, else the checkout's.
    public var resourcesFolder: String?
    /// Folder of the user's own core, as given; nil = the embedded core.
    public var coreFolder: String?
    /// PEM file of authorities that are trusted beside the system's.
    public var authoritiesFile: String?
    /// Absolute path; nil only without a home. Must exist if `configurationIsRequired`.
    public var configurationFile: String?
    /// True when it was named on the command line.
    public var configurationIsRequired: Bool
    /// Absolute path of the control socket.
    public var socketPath: String
    /// Lines as `corehost logs --json` has them, instead of text.
    public var writesJSON: Bool
    /// Components' processes are confined.
    public var isSandboxed: Bool
    /// Who components are if the supervisor is root, by name; nil = `nobody`.
    public var componentUser: String?
    /// Components may be root.
    public var allowsRootComponents: Bool
    /// Clients of the control socket may run JavaScript in components and in the core.
    public var allowsEval: Bool
    /// Clients of the control socket may break things on purpose.
    public var allowsFaults: Bool

    public init(
        isLocal: Bool, expectedUser: String? = nil, dataFolder: String, appsFolder: String? = nil,
        packsFolder: String? = nil, resourcesFolder: String? = nil, coreFolder: String? = nil,
        authoritiesFile: String? = nil, configurationFile: String? = nil, configurationIsRequired: Bool = false,
        socketPath: String,
        writesJSON: Bool = false, isSandboxed: Bool = true, componentUser: String? = nil,
        allowsRootComponents: Bool = false, allowsEval: Bool = false, allowsFaults: Bool = false
    ) {
        self.isLocal = isLocal
        self.expectedUser = expectedUser
        self.dataFolder = dataFolder
        self.appsFolder = appsFolder
        self.packsFolder = packsFolder
        self.resourcesFolder = resourcesFolder
        self.coreFolder = coreFolder
        self.authoritiesFile = authoritiesFile
        self.configurationFile = configurationFile
        self.configurationIsRequired = configurationIsRequired
        self.socketPath = socketPath
        self.writesJSON = writesJSON
        self.isSandboxed = isSandboxed
        self.componentUser = componentUser
        self.allowsRootComponents = allowsRootComponents
        self.allowsEval = allowsEval
        self.allowsFaults = allowsFaults
    }
}
