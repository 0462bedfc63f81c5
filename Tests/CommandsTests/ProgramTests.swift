import Control
import Foundation
import TestSupport
import Testing

/// The built program itself.
@Suite struct ProgramTests {
    private struct Ended {
        let code: Int32
        let out: String
        let error: String
    }

    /// The program that was built beside the tests.
    private static let program =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("corehost")

    private func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Ended {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        process.environment = environment
        let (out, error) = (Foundation.Pipe(), Foundation.Pipe())
        process.standardOutput = out
        process.standardError = error
        try process.run()
        let text = out.fileHandleForReading.readDataToEndOfFile()
        let complaint = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Ended(
            code: process.terminationStatus, out: String(decoding: text, as: UTF8.self),
            error: String(decoding: complaint, as: UTF8.self))
    }

    @Test func tellsItsVersion() throws {
        let ended = try run(["version", "--json"])
        #expect(ended.code == 0 && ended.error.isEmpty)
        let version = try VersionReply(json: JSONParser.parse(ended.out))
        #expect(version.version == Version.number && version.libuv != nil && version.swift != nil)
        #expect(try run(["--version"]).out.hasPrefix("corehost \(Version.number)\n"))
    }

    @Test func exitsWithDocumentedCodes() throws {
        #expect(try run(["nonsense"]).code == 2)
        let folder = try TemporaryFolder()
        let ended = try run(["ps"], environment: ["COREHOST_SOCKET": folder.path + "/none.sock"])
        #expect(ended.code == 4 && ended.out.isEmpty)
        #expect(
            ended.error == "corehost: no supervisor is running at \(folder.path)/none.sock; start one with "
                + "`corehost run`\n")
    }

    @Test func survivesAReaderThatLeaves() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\"$0\" help | true", Self.program.path]
        let error = Foundation.Pipe()
        process.standardError = error
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        #expect(error.fileHandleForReading.readDataToEndOfFile().isEmpty)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
