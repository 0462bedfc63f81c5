internal import CGIO
internal import CGLib

/// A closure as GIO's `GAsyncReadyCallback`: called once, with the operation's result, on the thread that started the
/// operation, also when that was cancelled.
final class GIOCallback {
    private let body: (OpaquePointer?) -> Void

    private init(_ body: @escaping (OpaquePointer?) -> Void) { self.body = body }

    /// The callback's user data; the callback itself is `function`.
    static func data(_ body: @escaping (_ result: OpaquePointer?) -> Void) -> gpointer {
        Unmanaged.passRetained(GIOCallback(body)).toOpaque()
    }

    static let function: GAsyncReadyCallback = { _, result, data in
        guard let data else { return }
        Unmanaged<GIOCallback>.fromOpaque(data).takeRetainedValue().body(result)
    }
}
