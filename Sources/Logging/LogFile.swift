import CSystem
import Glibc

/// What an operation on a log file met.
public struct LogFileError: Error, Equatable, CustomStringConvertible {
    public let path: String
    public let errno: Int32

    /// False for what concerns the disk or the folder: that is over once any file there can be written.
    var isOfTheFileAlone: Bool { [EISDIR, ELOOP, EACCES, EPERM, EFBIG].contains(errno) }

    public var description: String { "cannot write \(path): \(String(cString: strerror(errno)))" }
}

/// One log file with its older ones: `<name>`, `<name>.1`, … up to `maxFiles` in all, the highest number oldest.
///
/// Nothing stays open between two calls, so a folder that was removed, a file that was renamed by others and a disk
/// that comes back need no care of their own.
struct LogFile {
    let path: String
    let maxBytes: Int
    let maxFiles: Int

    /// Appends whole lines: all of them, or none and the file as before (as far as the disk lets itself be told).
    func append(_ bytes: [UInt8]) throws(LogFileError) {
        var descriptor = try openForAppend()
        defer { close(descriptor) }
        var size = try self.size(of: descriptor)
        if size > 0, size + bytes.count > maxBytes {
            close(descriptor)
            descriptor = -1
            try rotate()
            descriptor = try openForAppend()
            size = 0
        }
        // A supervisor that was killed in the middle of a write leaves a line without an end.
        let torn = size > 0 && lastByte(of: descriptor, size: size) != UInt8(ascii: "\n")
        do throws(LogFileError) {
            try writeAll(torn ? [UInt8(ascii: "\n")] + bytes : bytes, to: descriptor)
        } catch {
            // If this fails too, the next append mends the torn line.
            ftruncate(descriptor, off_t(size))
            throw error
        }
    }

    /// The last `count` bytes, those of the next older file included when this one is short. What cannot be read
    /// counts as empty.
    func tail(_ count: Int) -> [UInt8] {
        let newest = LogFile.tail(of: path, count)
        guard newest.count < count, maxFiles > 1 else { return newest }
        return LogFile.tail(of: older(1), count - newest.count) + newest
    }

    private func older(_ number: Int) -> String { "\(path).\(number)" }

    private func rotate() throws(LogFileError) {
        guard maxFiles > 1 else {
            if truncate(path, 0) != 0 { throw failure() }
            return
        }
        for number in stride(from: maxFiles - 1, through: 1, by: -1) {
            let source = number == 1 ? path : older(number - 1)
            if rename(source, older(number)) != 0, errno != ENOENT { throw failure() }
        }
    }

    private func openForAppend() throws(LogFileError) -> Int32 {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        if descriptor >= 0 { return descriptor }
        throw failure()
    }

    private func size(of descriptor: Int32) throws(LogFileError) -> Int {
        var status = stat()
        if fstat(descriptor, &status) != 0 { throw failure() }
        return Int(status.st_size)
    }

    private func lastByte(of descriptor: Int32, size: Int) -> UInt8? {
        var byte: UInt8 = 0
        return pread(descriptor, &byte, 1, off_t(size - 1)) == 1 ? byte : nil
    }

    private func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(LogFileError) {
        var done = 0
        while done < bytes.count {
            if chs_disk_write(Int32(CHS_DISK_LOGS.rawValue)) != 0 { throw failure() }
            let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw failure() }
            done += count
        }
    }

    private func failure() -> LogFileError { LogFileError(path: path, errno: errno) }

    private static func tail(of path: String, _ count: Int) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return [] }
        let size = Int(status.st_size)
        let length = min(size, count)
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
            let got = pread(descriptor, buffer.baseAddress, length, off_t(size - length))
            initialized = max(0, got)
        }
    }
}
