import Foundation
import Glibc
import JSEngine
import TestSupport
import Testing

@Suite struct Syncing {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// As the kernel has it of the open descriptors.
    @Test func filesWithSynchronousFlagsWriteThroughToTheDisk() throws {
        let path = folder.path
        for name in ["rs", "r+", "rs+"] { try folder.write("fs/\(name)", "") }
        let synchronous = try withPorts(folder) { engine, _ in
            _ = try engine.settle(
                #"Promise.all(["rs", "r+", "rs+", "w", "a", "as", "as+"].map(flags => port("fs_open", flags, flags)))"#)
            return try openFlags(in: "\(path)/fs/").filter { $0.value & O_SYNC == O_SYNC }.keys.sorted()
        }
        #expect(synchronous == ["as", "as+", "rs", "rs+"])
    }
}

/// Flags of this process's open files in a folder, by name.
private func openFlags(in folder: String) throws -> [String: Int32] {
    var flags: [String: Int32] = [:]
    for number in 0..<4096 {
        // Most numbers stand for nothing.
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"),
            target.hasPrefix(folder)
        else { continue }
        flags[String(target.dropFirst(folder.count))] = fcntl(Int32(number), F_GETFL)
    }
    return flags
}
