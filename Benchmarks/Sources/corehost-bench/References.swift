import Foundation

/// The C programs of `References`, built by `scripts/bench`.
struct References {
    let folder: URL

    /// Runs one and gives the number behind `name=` in what it prints.
    func value(_ name: String, of program: String, _ arguments: String...) throws -> Double {
        guard let value = try values(of: program, arguments)[name] else {
            throw BenchError("\(program) \(arguments.joined(separator: " ")) printed no \(name)")
        }
        return value
    }

    /// Runs one and gives all its `name=number` lines.
    func values(of program: String, _ arguments: [String]) throws -> [String: Double] {
        var values: [String: Double] = [:]
        for line in try runToEnd(folder.appending(path: program), arguments).split(separator: "\n") {
            let parts = line.split(separator: "=")
            guard parts.count == 2, let value = Double(parts[1]) else {
                throw BenchError("\(program) printed \"\(line)\", not name=number")
            }
            values[String(parts[0])] = value
        }
        return values
    }
}

/// Runs a program to its end and gives its standard output; what it says on standard error goes where ours goes.
func runToEnd(_ program: URL, _ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    do {
        try process.run()
    } catch {
        throw BenchError("cannot start \(program.path): \(error.localizedDescription)")
    }
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
        let kind = process.terminationReason == .exit ? "exit code" : "signal"
        throw BenchError("\(program.lastPathComponent) \(arguments) ended with \(kind) \(process.terminationStatus)")
    }
    return String(decoding: data, as: UTF8.self)
}
