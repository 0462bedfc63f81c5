public import JSEngine

/// The ports of every context: `delay` and `crypto_random`.
public enum CommonInjectedFns {
    public static func registerAll(on engine: JSEngineHost) { engine.registerCommonPorts() }
}
