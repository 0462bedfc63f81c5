internal import CGLib
internal import CSystem
internal import CUV
internal import Glibc

/// A GLib main context iterated under a libuv loop: before the loop waits, the context says which descriptors and which
/// time-out it waits for; after it waited, the context is dispatched if one of them is due.
final class GLibPump {
    private unowned let loop: Loop
    private let context: OpaquePointer
    private let check = Handle<uv_check_t>()
    private let timer = Handle<uv_timer_t>()
    private var watched: [Watch] = []
    private var shape: [Shape] = []
    private var unwatchable = false
    private var descriptors: UnsafeMutablePointer<GPollFD>
    private var capacity: gint = 8
    private var count: gint = 0
    private var priority: gint = 0
    private var due = false
    private var armedUntil: UInt64?
    /// Sources ran, which may have closed a descriptor and opened another that has its number.
    private var hasDispatched = false

    private struct Shape {
        let descriptor: Int32
        var events: gushort
    }

    private final class Watch {
        let descriptor: Int32
        let events: gushort
        let handle = Handle<uv_poll_t>()
        var seen: gushort = 0
        /// The loop has waited for it, so that the kernel knows it.
        var isKnown = false

        init(_ descriptor: Int32, events: gushort, on loop: Loop) throws(UVError) {
            self.descriptor = descriptor
            self.events = events
            let code = uv_poll_init(loop.raw, handle.raw, descriptor)
            guard code == 0 else {
                handle.discard()
                throw UVError(code, in: "uv_poll_init")
            }
            handle.adopt(self)
            uv_unref(handle.base)
            var wanted: Int32 = 0
            if events & gushort(G_IO_IN.rawValue) != 0 { wanted |= Int32(UV_READABLE.rawValue) }
            if events & gushort(G_IO_OUT.rawValue) != 0 { wanted |= Int32(UV_WRITABLE.rawValue) }
            if events & gushort(G_IO_PRI.rawValue) != 0 { wanted |= Int32(UV_PRIORITIZED.rawValue) }
            uv_poll_start(handle.raw, wanted) { handle, status, events in
                Handle<uv_poll_t>.owner(handle, as: Watch.self).happened(status, events)
            }
        }

        /// False when its descriptor was closed: what has that number now is not waited for.
        func holds(on loop: Loop) -> Bool {
            guard isKnown else { return true }
            // GLib's numbers for these three are the kernel's.
            let kernels = events & gushort(G_IO_IN.rawValue | G_IO_OUT.rawValue | G_IO_PRI.rawValue)
            let code = chs_epoll_confirm(uv_backend_fd(loop.raw), descriptor, UInt32(kernels))
            return code == 0 || errno != ENOENT
        }

        func happened(_ status: Int32, _ happened: Int32) {
            guard status == 0 else {
                seen |= gushort(G_IO_ERR.rawValue)
                return
            }
            if happened & Int32(UV_READABLE.rawValue) != 0 { seen |= gushort(G_IO_IN.rawValue) }
            if happened & Int32(UV_WRITABLE.rawValue) != 0 { seen |= gushort(G_IO_OUT.rawValue) }
            if happened & Int32(UV_PRIORITIZED.rawValue) != 0 { seen |= gushort(G_IO_PRI.rawValue) }
        }

        func close() {
            uv_poll_stop(handle.raw)
            handle.close()
        }
    }

    init(on loop: Loop) throws(UVError) {
        self.loop = loop
        context = g_main_context_new()
        g_main_context_push_thread_default(context)
        // Held for good: nobody else iterates it, and sources added on this thread need no wake-up.
        g_main_context_acquire(context)
        descriptors = .allocate(capacity: Int(capacity))
        uv_timer_init(loop.raw, timer.raw)
        timer.adopt(self)
        uv_unref(timer.base)
        uv_check_init(loop.raw, check.raw)
        check.adopt(self)
        uv_check_start(check.raw) { handle in
            Handle<uv_check_t>.owner(handle, as: GLibPump.self).afterWait()
        }
        uv_unref(check.base)
    }

    func prepare() {
        due = g_main_context_prepare(context, &priority) != 0
        var timeout: gint = -1
        count = g_main_context_query(context, priority, &timeout, descriptors, capacity)
        if count > capacity {
            descriptors.deallocate()
            capacity = count * 2
            descriptors = .allocate(capacity: Int(capacity))
            count = g_main_context_query(context, priority, &timeout, descriptors, capacity)
        }
        watch()
        arm(timeout)
    }

    /// Follows the context's descriptors, merged by number: libuv refuses two watches on one.
    private func watch() {
        let isSame = sameShape() && !(hasDispatched && watched.contains { !$0.holds(on: loop) })
        hasDispatched = false
        guard !isSame else { return }
        shape = (0..<Int(count)).map { Shape(descriptor: descriptors[$0].fd, events: descriptors[$0].events) }
        var wanted: [Shape] = []
        for item in shape {
            if let same = wanted.firstIndex(where: { $0.descriptor == item.descriptor }) {
                wanted[same].events |= item.events
            } else {
                wanted.append(item)
            }
        }
        // What goes first: a number may be wanted for something else now.
        let kept = watched.filter { watch in
            wanted.contains { $0.descriptor == watch.descriptor && $0.events == watch.events } && watch.holds(on: loop)
        }
        for watch in watched where !kept.contains(where: { $0 === watch }) { watch.close() }
        unwatchable = false
        watched = wanted.compactMap { item in
            if let watch = kept.first(where: { $0.descriptor == item.descriptor }) { return watch }
            do {
                return try Watch(item.descriptor, events: item.events, on: loop)
            } catch {
                // A regular file cannot be watched, and is always ready: GLib is asked at every turn.
                unwatchable = true
                return nil
            }
        }
    }

    /// The number is somebody else's now.
    func letGo(of descriptor: Int32) {
        guard let index = watched.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        watched.remove(at: index).close()
        shape = []
    }

    private func sameShape() -> Bool {
        guard shape.count == Int(count) else { return false }
        for index in 0..<Int(count)
        where shape[index].descriptor != descriptors[index].fd || shape[index].events != descriptors[index].events {
            return false
        }
        return true
    }

    /// `timeout` in milliseconds, negative for none.
    private func arm(_ timeout: gint) {
        let wait: UInt64? = due || unwatchable ? 0 : timeout < 0 ? nil : UInt64(timeout)
        let until = wait.map { uv_now(loop.raw) + $0 }
        guard until != armedUntil else { return }
        armedUntil = until
        guard let wait else {
            uv_timer_stop(timer.raw)
            return
        }
        uv_update_time(loop.raw)
        uv_timer_start(
            timer.raw,
            { handle in
                let pump = Handle<uv_timer_t>.owner(handle, as: GLibPump.self)
                pump.due = true
                pump.armedUntil = nil
            }, wait, 0)
    }

    private func afterWait() {
        for watch in watched { watch.isKnown = true }
        guard due || unwatchable || watched.contains(where: { $0.seen != 0 }) else { return }
        for index in 0..<Int(count) {
            let seen = watched.first { $0.descriptor == descriptors[index].fd }?.seen ?? 0
            let always = gushort(G_IO_ERR.rawValue | G_IO_HUP.rawValue)
            descriptors[index].revents = seen & (descriptors[index].events | always)
        }
        for watch in watched { watch.seen = 0 }
        due = false
        if armedUntil != nil {
            armedUntil = nil
            uv_timer_stop(timer.raw)
        }
        if g_main_context_check(context, priority, descriptors, count) != 0 {
            hasDispatched = true
            g_main_context_dispatch(context)
        }
    }

    func close() {
        for item in watched { item.close() }
        watched = []
        uv_check_stop(check.raw)
        uv_timer_stop(timer.raw)
        check.close()
        timer.close()
        g_main_context_release(context)
        g_main_context_pop_thread_default(context)
        g_main_context_unref(context)
        descriptors.deallocate()
    }
}
