/// The members of all capabilities, as the platform's specification lists them, and who calls each in tests.
enum CapabilityMembers {
    enum Caller: Equatable {
        /// The component in this file of `Tests/Fixtures`, in its process, through the wire.
        case component(String)
        /// Nobody through a real process; why, and what is tried in its place.
        case nobody(String)
    }

    struct Row {
        let capability: String
        /// As the caller names them: `<capability or kind of object>.<member>`.
        let members: [String]
        let caller: Caller

        init(_ capability: String, _ object: String, _ names: String, _ caller: Caller) {
            self.capability = capability
            members = names.split(separator: " ").map { "\(object).\($0)" }
            self.caller = caller
        }
    }

    static let all = Caller.component("every-member.mjs")
    static let system = Caller.component("every-system-member.mjs")

    private static let reads = "stat getXAttr listXAttrs readBytes getByteSource"
    private static let writes = "updateXAttrs writeBytes getByteSink"
    private static let realCore = Caller.nobody(
        "only a core with servers has it; `mailerid` of the embedded core has no such member")
    private static let page = Caller.nobody(
        "pages have no process: StartupPageTests calls it from the client's side of the wire, with the embedded core")

    static let rows: [Row] = [
        Row("always", "w3n", "closeSelf myVersion log ui.uiFormFactor", all),
        Row("mailerid", "w3n", "mailerid.getUserId", all),
        Row("mailerid", "w3n.mailerid", "login sign verifySignature", realCore),
        Row("storage", "w3n.storage", "getAppLocalFS getAppSyncedFS getUserFS getSysFS", all),
        Row("file system", "FS", "\(reads) readTxtFile readJSONFile listFolder", all),
        Row("file system", "FS", "checkFolderPresence checkFilePresence checkLinkPresence", all),
        Row("file system", "FS", "readLink watchFolder watchFile watchTree close readonlySubRoot readonlyFile", all),
        Row("file system", "FS", "select", all),
        Row("file system", "FS", "\(writes) writeJSONFile writeTxtFile makeFolder deleteFolder deleteFile move", all),
        Row("file system", "FS", "copyFile copyFolder saveFile saveFolder link deleteLink writableSubRoot", all),
        Row("file system", "FS", "writableFile", all),
        Row("versioned file system", "FS.v", "\(reads) readTxtFile readJSONFile listFolder listVersions", all),
        Row("versioned file system", "FS.v", "\(writes) writeTxtFile writeJSONFile archiveCurrent", all),
        Row("versioned file system", "FS.v.sync", "status upload", all),
        Row("file", "File", "\(reads) readTxt readJSON watch", all),
        Row("file", "File", "\(writes) writeTxt writeJSON copy", all),
        Row("byte source, sink", "FileByteSource", "readNext readAt getSize seek getPosition", all),
        Row("byte source, sink", "FileByteSink", "getSize splice truncate showLayout done", all),
        Row("rpc", "w3n.rpc", "thisApp otherAppsRPC exposeService", all),
        Row("rpc", "RPCConnection", "makeRequestReplyCall startObservableCall close", all),
        Row("rpc", "IncomingRPCConnection", "watch send close", all),
        Row("connectivity", "w3n.connectivity", "isOnline watch", all),
        Row("mediaDevices", "w3n", "mediaDevices", .nobody("it is for components with a window alone")),
        Row("shell", "shell", "startAppWithParams getStartedCmd watchStartCmds", system),
        Row("shell", "shell", "getFSResource openURL openDashboard", system),
        Row(
            "shell", "shell.userNotifications", "addNotification removeNotification watch listNotifications", system),
        Row("system", "system.apps.opener", "listCurrentApps openApp executeCommand closeAppsAfterUpdate", system),
        Row("system", "system.apps.opener", "triggerAllStartupLaunchers getAppManifestOfCurrent", system),
        Row("system", "system.apps.opener", "getAppFileBytesOfCurrent", system),
        Row("system", "system.apps.installer", "listBundledApps addPackFromBundledApps installApp", system),
        Row("system", "system.apps.installer", "uninstallApp listAllAppsPacks watchApps", system),
        Row("system", "system.monitor", "listProcs listConnectionsToAppServices", system),
        Row("system", "system.platform", "getCurrentVersion", system),
        Row("system", "system", "logout", system),
        Row("system", "system.userLogin", "isAutoLoginAvailable isAutoLoginSet setAutoLogin removeAutoLogin", system),
        Row("system", "system.autoStartup", "isAutoStartupAvailable isAutoStartupSet setAutoStartup", system),
        Row("start-up only", "signUp", "setSignUpServer getAvailableDomains getAvailableAddresses addUser", page),
        Row("start-up only", "signUp", "isActivated createUserParams watchBoot", page),
        Row("start-up only", "signIn", "getUsersOnDisk startLoginToRemoteStorage useExistingStorage", page),
        Row("start-up only", "signIn", "completeLoginAndLocalSetup watchBoot", page),
        Row("start-up only", "provider", "openInExternal", page),
        Row("start-up only", "w3n", "enableAutoLogin scanUrlQR", page),
    ]

    /// What that component must have called.
    static func calledBy(_ caller: Caller) -> Set<String> {
        Set(rows.filter { $0.caller == caller }.flatMap(\.members))
    }
}
