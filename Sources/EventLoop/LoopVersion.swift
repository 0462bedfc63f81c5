internal import CUV

extension Loop {
    /// Version of the libuv that is loaded, like `1.44.2`.
    public static var libraryVersion: String { String(cString: uv_version_string()) }
}
