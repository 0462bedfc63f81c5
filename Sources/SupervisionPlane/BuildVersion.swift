public import Control
internal import EventLoop
internal import JSEngine

/// What this program was built with and runs on.
public enum BuildVersion {
    public static var reply: VersionReply {
        VersionReply(swift: swift, libuv: Loop.libraryVersion, engine: EngineVersion.text)
    }

    /// The language cannot be asked for its version at run time.
    private static var swift: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
