import Foundation
import Glibc

/// What a person waits for: until the platform takes a login, and for the login itself. Scrypt's own time, which is meant to
/// be long, is libsodium's in the same run.
enum LoginFigures {
    private static let starts = 9
    private static let logins = 7
    private static let address = "ada@example.org"

    static let startToLogin = Figure(
        id: "start-to-login", title: "supervisor's start to capsForStartup, p50", unit: .nanoseconds,
        goal: .value(atMost: 80e6))
    static let beyondScrypt = Figure(
        id: "login-beyond-scrypt", title: "a login command beyond scrypt, p50", unit: .nanoseconds,
        goal: .value(atMost: 50e6))
    static let all = [startToLogin, beyondScrypt]

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let scrypt = try places.references.value("scrypt_p50_ns", of: "libsodium", "scrypt", "9")
        let scratch = try Scratch()
        var times: [Double] = []
        for _ in 0..<starts { times.append(try start(places, scratch) { _ in }) }
        var took: [Double] = []
        _ = try start(places, scratch) { command in
            _ = try command(["signup", address])
            for _ in 0..<logins {
                _ = try command(["logout"])
                took.append(try command(["login", address]))
            }
        }
        try scratch.remove()
        return [
            startToLogin.id: Sample(ours: median(times), reference: nil),
            beyondScrypt.id: Sample(ours: median(took) - scrypt, reference: nil),
        ]
    }

    /// Nanoseconds from the start of a supervisor to its words that it waits for a login. `body` gets a function that runs
    /// a command against it and gives the command's nanoseconds.
    private static func start(
        _ places: Places, _ scratch: Scratch, _ body: ((_ arguments: [String]) throws -> Double) throws -> Void
    ) throws -> Double {
        let corehost = places.programs.appending(path: "corehost")
        let socket = scratch.folder.appending(path: "control.sock").path
        let password = scratch.folder.appending(path: "password")
        try Data("a password\n".utf8).write(to: password)
        chmod(password.path, 0o600)
        let apps = scratch.folder.appending(path: "no-apps")
        try FileManager.default.createDirectory(at: apps, withIntermediateDirectories: true)
        let process = Process()
        let output = Pipe()
        process.executableURL = corehost
        process.arguments = [
            "run", "--data", scratch.folder.appending(path: "data").path, "--apps", apps.path, "--resources",
            places.resources.path, "--socket", socket,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = output
        let began = ContinuousClock.now
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        var words = Data()
        while !String(decoding: words, as: UTF8.self).contains("platform waits for a login") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw BenchError("corehost run ended: \(String(decoding: words, as: UTF8.self).suffix(500))")
            }
            words += more
        }
        let time = (ContinuousClock.now - began) / .nanoseconds(1)
        // Nobody reads what it says from here on.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        defer { output.fileHandleForReading.readabilityHandler = nil }
        try body { arguments in
            let secret = arguments.count > 1 ? ["--password-file", password.path] : []
            let began = ContinuousClock.now
            _ = try runToEnd(corehost, arguments + secret + ["--socket", socket])
            return (ContinuousClock.now - began) / .nanoseconds(1)
        }
        return time
    }
}
