internal import CJSC

/// The JavaScript engine that is loaded.
public enum EngineVersion {
    /// Like `2.50.6`; nil when the engine does not say.
    public static var text: String? {
        var major: UInt32 = 0
        var minor: UInt32 = 0
        var micro: UInt32 = 0
        return chj_version(&major, &minor, &micro) ? "\(major).\(minor).\(micro)" : nil
    }
}
