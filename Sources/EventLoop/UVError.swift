internal import CUV

/// A libuv failure: the negative errno that `function` returned.
public struct UVError: Error, Equatable, CustomStringConvertible {
    public let code: Int32
    public let function: String

    public init(_ code: Int32, in function: String) {
        self.code = code
        self.function = function
    }

    /// The positive errno value, as in `errno.h`.
    public var errno: Int32 { -code }

    public var description: String { "\(function): \(String(cString: uv_strerror(code))) (errno \(errno))" }

    static func check(_ code: Int32, in function: String) throws(UVError) {
        guard code >= 0 else { throw UVError(code, in: function) }
    }
}
