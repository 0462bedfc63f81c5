internal import CUV

/// Owns the memory of one libuv handle for a Swift object. libuv keeps using the memory until its close callback, so the
/// object holds itself alive (+1 in `adopt`) and lets go there, once.
struct Handle<Raw> {
    let raw: UnsafeMutablePointer<Raw>

    init() { raw = .allocate(capacity: 1) }

    var base: UnsafeMutablePointer<uv_handle_t> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_handle_t.self)
    }

    /// Ties the handle to `owner` until `close`. After the libuv init call has succeeded; before, `discard` it.
    func adopt(_ owner: AnyObject) {
        base.pointee.data = Unmanaged.passRetained(owner).toOpaque()
    }

    func discard() { raw.deallocate() }

    /// Closes the handle; its owner is released and the memory freed when libuv is done with it.
    func close() {
        uv_close(base) { handle in
            guard let handle, let data = handle.pointee.data else { return }
            Unmanaged<AnyObject>.fromOpaque(data).release()
            UnsafeMutableRawPointer(handle).deallocate()
        }
    }

    static func owner<Owner: AnyObject>(_ pointer: UnsafeMutablePointer<Raw>?, as type: Owner.Type) -> Owner {
        guard let pointer,
            let data = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_handle_t.self).pointee.data
        else { preconditionFailure("libuv called back without a handle of ours") }
        return Unmanaged<Owner>.fromOpaque(data).takeUnretainedValue()
    }
}
