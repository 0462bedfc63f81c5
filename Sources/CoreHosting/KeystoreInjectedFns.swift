internal import Cryptography
internal import JSEngine

/// The key store's ports as declared.
enum KeystorePorts {
    private static let keyName = PortSignature.Parameter("keyName", .word)
    private static let data = PortSignature.Parameter("data", .bytes)
    private static let ofStore =
        "`keyLost`, `keyDamaged`, `keyExposed`, `storeLocked`, `storeUnavailable`, `storeFailed`, `outOfMemory`"

    static let encrypt = PortSignature(
        "keystore_encrypt", [keyName, data], gives: "promise of `Uint8Array`", throws: "`keystore`: \(ofStore)",
        "Encrypts with the device's key of that name (256 bytes at most), which is made on first use.")
    static let decrypt = PortSignature(
        "keystore_decrypt", [keyName, data], gives: "promise of `Uint8Array`",
        throws: "`keystore`: `tampered`, `truncated`, \(ofStore)", "The reverse; what was changed is an error.")
    static let group = PortGroup("Key store", [encrypt, decrypt])
}

/// `keystore_encrypt` and `keystore_decrypt`.
struct KeystoreInjectedFns {
    let keystore: Keystore

    func registerAll(on engine: JSEngineHost) {
        engine.registerPort(KeystorePorts.encrypt) { [keystore] in try run($0, keystore.encrypt) }
        engine.registerPort(KeystorePorts.decrypt) { [keystore] in try run($0, keystore.decrypt) }
    }

    private func run(
        _ arguments: PortArguments,
        _ start: (InputBytes, String, @escaping (Result<ResultBytes, KeystoreError>) -> Void) -> Void
    ) throws -> JSValue {
        let name = try arguments.text(0)
        guard name.utf8.count <= Keystore.longestName else {
            throw arguments.bad(0, "has \(name.utf8.count) bytes, the limit is \(Keystore.longestName)")
        }
        try arguments.requireLength(1, atMost: PortInputs.longest)
        let inputs = PortInputs(of: arguments)
        let promise = arguments.engine.makePromise()
        start(inputs.list[0], name) { result in
            withExtendedLifetime(inputs) {
                switch result {
                case .success(let bytes): promise.resolve { $0.bytes(bytes) }
                case .failure(let error): promise.reject(error.exception)
                }
            }
        }
        return promise.value
    }
}

extension KeystoreError {
    /// `{type: "keystore", keyName, <reason>: true, message}`.
    fileprivate var exception: RuntimeException {
        RuntimeException(
            type: "keystore",
            ["keyName": .text(keyName), reason.rawValue: .flag(true), "message": .text(description)])
    }
}
