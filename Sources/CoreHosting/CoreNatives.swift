internal import Cryptography
public import EventLoop
public import JSEngine
internal import Networking

/// What a core's context has of the machine: files, apps' assets, requests, WebSockets, keys, cryptography. A core's
/// bundle needs no more; what the platform above it needs is in `CoreInjectedFns`.
public final class CoreNatives {
    private let assets: AssetsInjectedFns
    private let fs: FsInjectedFns
    private let network: NetworkSession
    private let requests: NetworkInjectedFns
    private let webSockets: WebSocketInjectedFns
    private let keystore: Keystore
    private let cryptor: CryptorInjectedFns
    private let autoStartup: AutoStartupPorts?

    /// For the supervisor's core plane.
    ///
    /// - Parameter keyStoreUsed: a store of keys is used for the first time, and why it is this one.
    convenience init(
        places: CorePlaces, network: NetworkSession, loop: Loop, keyStoreUsed: @escaping (Keystore.Use) -> Void
    ) throws(FsInjectedFns.FolderError) {
        let pool = CryptorPool(on: loop)
        let keystore = Keystore(folder: places.keys, pool: pool, on: loop, used: keyStoreUsed)
        try self.init(places, network, pool, keystore, loop)
    }

    /// For a context that no supervisor runs, and that leaves nothing behind but files: its keys are never in the
    /// user's Secret Service.
    public convenience init(places: CorePlaces, loop: Loop) throws(FsInjectedFns.FolderError) {
        let pool = CryptorPool(on: loop)
        let network = NetworkSession(loop: loop, userAgent: "corehost/\(platformVersion)")
        try self.init(places, network, pool, Keystore(inFilesOf: places.keys, pool: pool, on: loop), loop)
    }

    private init(
        _ places: CorePlaces, _ network: NetworkSession, _ pool: CryptorPool, _ keystore: Keystore, _ loop: Loop
    ) throws(FsInjectedFns.FolderError) {
        do {
            fs = try FsInjectedFns(baseDir: places.files, loop: loop)
        } catch {
            network.close()
            keystore.close()
            pool.close()
            throw error
        }
        self.network = network
        self.keystore = keystore
        assets = AssetsInjectedFns(appsFolder: places.apps, packsFolder: places.packs, loop: loop)
        requests = NetworkInjectedFns(session: network)
        webSockets = WebSocketInjectedFns(session: network)
        cryptor = CryptorInjectedFns(pool: pool)
        autoStartup = places.autoStartup.map { AutoStartupPorts($0, loop: loop) }
    }

    public func registerAll(on engine: JSEngineHost) {
        assets.registerAll(on: engine)
        fs.registerAll(on: engine)
        requests.registerAll(on: engine)
        KeystoreInjectedFns(keystore: keystore).registerAll(on: engine)
        cryptor.registerAll(on: engine)
        webSockets.registerAll(on: engine)
        autoStartup?.registerAll(on: engine)
    }

    /// Ends what is under way. Before the engine is closed.
    public func close() {
        assets.close()
        fs.close()
        requests.close()
        webSockets.close()
        network.close()
        keystore.close()
        cryptor.close()
        autoStartup?.close()
    }
}
