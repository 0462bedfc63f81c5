internal import CSystem
internal import Glibc
internal import Synchronization

/// An open file, or a folder that was opened to be synced. Closed when nobody holds it any more, if not before.
final class ConfinedFile: Sendable {
    /// As the caller gave it.
    let path: String
    /// -1 once closed.
    private let number: Atomic<Int32>

    init(takingOwnershipOf descriptor: consuming ConfinedDescriptor, path: String) {
        self.path = path
        number = Atomic(descriptor.take())
    }

    deinit {
        let number = number.load(ordering: .relaxed)
        if number != -1 { Glibc.close(number) }
    }

    /// Writes all of it, at `position` or where the file's own position is; a failure may leave a part of it written.
    func write(_ content: ConfinedContent, at position: Int?) throws(ConfinedFailure) -> Int {
        let number = number.load(ordering: .relaxed)
        return try content.withBytes { (bytes) throws(ConfinedFailure) in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                written += try confinedCall(path) {
                    guard chs_disk_write(Int32(CHS_DISK_DATA.rawValue)) == 0 else { return -1 }
                    guard let position else { return Glibc.write(number, rest.baseAddress, rest.count) }
                    return pwrite(number, rest.baseAddress, rest.count, position + written)
                }
            }
            return written
        }
    }

    /// Fills `room` from `position`, or from where the file's own position is, as far as the file goes; bytes read.
    func read(into room: ConfinedRoom, at position: Int?) throws(ConfinedFailure) -> Int {
        let number = number.load(ordering: .relaxed)
        var count = 0
        while count < room.bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room.bytes[count...])
            do throws(ConfinedFailure) {
                let got = try confinedCall(path) {
                    guard let position else { return Glibc.read(number, rest.baseAddress, rest.count) }
                    return pread(number, rest.baseAddress, rest.count, position + count)
                }
                if got == 0 { break }
                count += got
            } catch {
                // What was read before is given; a failure that lasts comes again with the next call.
                if count == 0 { throw error }
                break
            }
        }
        return count
    }

    /// The most that is copied on the core's thread, which takes some 50 µs.
    private static let mostWithoutWaiting = 1 << 20

    /// The same where the kernel has all of it in memory; nil, with nothing promised of `room`, where it would wait, or
    /// where there is anything else that `read` should tell.
    func readWithoutWaiting(into room: ConfinedRoom, at position: Int) -> Int? {
        guard room.bytes.count <= Self.mostWithoutWaiting else { return nil }
        let count = chs_read_if_cached(
            number.load(ordering: .relaxed), room.bytes.baseAddress, room.bytes.count, position)
        return count == room.bytes.count ? count : nil
    }

    func info() throws(ConfinedFailure) -> ConfinedInfo {
        try ConfinedInfo(of: number.load(ordering: .relaxed), path)
    }

    /// What is cut off is gone; what is added is zeros.
    func truncate(to length: Int) throws(ConfinedFailure) {
        let number = number.load(ordering: .relaxed)
        _ = try confinedCall(path) { ftruncate(number, length) }
    }

    /// Returns when content and size are on the disk.
    func sync() throws(ConfinedFailure) {
        let number = number.load(ordering: .relaxed)
        _ = try confinedCall(path) { fsync(number) }
    }

    /// A failure tells of earlier writes that were lost; the file is closed even then.
    func close() throws(ConfinedFailure) {
        let number = number.exchange(-1, ordering: .relaxed)
        // close(2) on Linux: the descriptor is free after EINTR too, and must not be closed again.
        if number != -1, Glibc.close(number) == -1, errno != EINTR {
            throw ConfinedFailure(errno: errno, path: path)
        }
    }
}

/// The files that are open now, also those whose `open` nobody has answered yet.
final class ConfinedFiles: Sendable {
    private let files = Mutex<[ObjectIdentifier: ConfinedFile]>([:])

    func add(_ file: ConfinedFile) { files.withLock { $0[ObjectIdentifier(file)] = file } }

    func close(_ file: ConfinedFile) throws(ConfinedFailure) {
        _ = files.withLock { $0.removeValue(forKey: ObjectIdentifier(file)) }
        try file.close()
    }

    /// Nobody may be using them.
    func closeAll() {
        let all = files.withLock { files in
            defer { files = [:] }
            return files.values
        }
        for file in all {
            // What was written and not synced was never promised to last.
            try? file.close()
        }
    }
}
