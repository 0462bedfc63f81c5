internal import CSodium
internal import CSystem
internal import Glibc
internal import Synchronization

/// The folder of the key store, of mode 0700, with a file of mode 0600 per key: `<hash of the key's name>.key`. A file is
/// made whole or not at all, and never replaced.
struct KeyFolder: Sendable {
    let path: String

    /// New files, made by any worker, share one name until they are whole.
    private static let writing = Mutex(())

    func file(of name: String) -> String { hexadecimal(digest(name.utf8, count: 16)) + ".key" }

    /// Nil where there is none. Throws for one that is there and cannot be read.
    func read(_ name: String) throws(KeystoreError) -> KeyRecord? {
        guard let folder = try openFolder(for: name) else { return nil }
        defer { close(folder) }
        let file = file(of: name)
        let descriptor = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? damaged(name, "is a link") : failed(name, "\(path)/\(file) cannot be opened")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failed(name, "fstat of \(path)/\(file)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw damaged(name, "is no file") }
        try check(status, "\(path)/\(file)", mode: "600", name)
        // One byte more than the longest record shows a file that is longer.
        var bytes = [UInt8](repeating: 0, count: 63)
        defer { sodium_memzero(&bytes, bytes.count) }
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw failed(name, "\(path)/\(file) cannot be read") }
        let size = count == bytes.count ? Int(status.st_size) : count
        guard size <= bytes.count else { throw damaged(name, "has \(size) bytes, and a key's file has 30 or 62") }
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(KeyRecordFault) in try KeyRecord(UnsafeRawBufferPointer(rebasing: bytes.prefix(count))) }
        }
        switch result {
        case .success(let record): return record
        case .failure(let fault): throw damaged(name, fault.text)
        }
    }

    /// Makes the file of a key that has none; the supervisor's lock sees to it that nobody else does.
    func write(_ record: KeyRecord, for name: String) throws(KeystoreError) {
        try Self.writing.withLock { _ throws(KeystoreError) in try writeAlone(record, name) }
    }

    private func writeAlone(_ record: KeyRecord, _ name: String) throws(KeystoreError) {
        let folder = try makeFolder(for: name)
        defer { close(folder) }
        let file = file(of: name)
        guard faccessat(folder, file, F_OK, AT_SYMLINK_NOFOLLOW) == -1, errno == ENOENT else {
            throw failed(name, "\(path)/\(file) is there already", EEXIST)
        }
        let draft = "new"
        // Left behind by a process that was killed in here.
        unlinkat(folder, draft, 0)
        let descriptor = openat(folder, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failed(name, "a new file in \(path)") }
        defer { close(descriptor) }
        var bytes = record.bytes
        defer { sodium_memzero(&bytes, bytes.count) }
        let count = Glibc.write(descriptor, bytes, bytes.count)
        guard count == bytes.count, fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0,
            renameat(folder, draft, folder, file) == 0, fsync(folder) == 0
        else {
            let code = count >= 0 && count < bytes.count ? ENOSPC : errno
            unlinkat(folder, draft, 0)
            throw failed(name, "the new file \(path)/\(file) cannot be written", code)
        }
    }

    private func openFolder(for name: String) throws(KeystoreError) -> Int32? {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else {
            if errno == ENOENT { return nil }
            throw failed(name, "the folder \(path) cannot be opened")
        }
        var status = stat()
        do throws(KeystoreError) {
            guard fstat(folder, &status) == 0 else { throw failed(name, "fstat of \(path)") }
            try check(status, path, mode: "700", name)
        } catch {
            close(folder)
            throw error
        }
        return folder
    }

    private func makeFolder(for name: String) throws(KeystoreError) -> Int32 {
        if let folder = try openFolder(for: name) { return folder }
        guard mkdir(path, 0o700) == 0 else { throw failed(name, "the folder \(path) cannot be made") }
        guard let folder = try openFolder(for: name) else { throw failed(name, "the folder \(path) has gone") }
        // So that the folder itself is kept.
        let parent = openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if parent >= 0 {
            fsync(parent)
            close(parent)
        }
        return folder
    }

    private func check(_ status: stat, _ what: String, mode: String, _ name: String) throws(KeystoreError) {
        if status.st_uid != geteuid() {
            throw KeystoreError(.keyExposed, name, "\(what) belongs to user \(status.st_uid), not to \(geteuid())")
        }
        if status.st_mode & 0o077 != 0 {
            let seen = String(status.st_mode & 0o777, radix: 8)
            throw KeystoreError(
                .keyExposed, name,
                "\(what) has mode \(seen), which lets others in; if nobody has read it, `chmod \(mode) \(what)`")
        }
    }

    private func damaged(_ name: String, _ what: String) -> KeystoreError {
        KeystoreError(
            .keyDamaged, name,
            "\(path)/\(file(of: name)) \(what); restore it from a backup, or remove it if nothing needs it any more")
    }

    private func failed(_ name: String, _ what: String, _ code: Int32 = errno) -> KeystoreError {
        KeystoreError(
            .storeFailed, name, "\(what): \(chs_errno_text(code).map { String(cString: $0) } ?? "errno \(code)")")
    }
}
