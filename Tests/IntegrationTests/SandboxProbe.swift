import CSystem
import Glibc
import SandboxPolicy
import TestSupport
import Wire

/// One run of `sandbox-probe`: what became of the calls that it made after it had confined itself as a component does.
struct SandboxProbe {
    /// One line a call that came back: its value, or the name of its error.
    let lines: [String]
    let exit: ComponentFixture.Exit
    /// The name of the call that was reported as refused.
    let refused: String?

    /// - Parameters:
    ///   - calls: as the program's arguments, blanks between them.
    ///   - program: with what starts it in front, if anything does.
    init(_ calls: String, program: [String] = ["\(RunningProgram.folder)/sandbox-probe"]) throws {
        var output: [Int32] = [-1, -1]
        var report: [Int32] = [-1, -1]
        guard pipe(&output) == 0, pipe(&report) == 0 else { throw TestFailure("pipe: errno \(errno)") }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        var arguments = (program + calls.split(separator: " ").map { String($0) }).map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var pid: pid_t = 0
        // The end of this thread would be the program's: it stays until that has ended.
        let code = chs_spawn(
            program[0], arguments, &environment, [null, output[1], output[1], null, report[1]], 5, &pid)
        for descriptor in [null, output[1], report[1]] { close(descriptor) }
        defer { for descriptor in [output[0], report[0]] { close(descriptor) } }
        guard code == 0 else { throw TestFailure("\(program[0]): errno \(code)") }
        lines = String(decoding: Self.all(of: output[0]), as: UTF8.self).split(separator: "\n").map { String($0) }
        let decoder = ControlDecoder<ComponentReport>()
        let bytes = Self.all(of: report[0])
        var refused: String?
        if !bytes.isEmpty {
            decoder.nextBuffer().copyBytes(from: bytes)
            try decoder.consume(bytes.count) { report in
                guard case .refused(let call, let architecture) = report else { return }
                refused = SystemCallFilter.name(ofCall: call, architecture: architecture)
            }
        }
        self.refused = refused.map { String($0.prefix { $0 != " " }) }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        exit = status & 0x7f == 0 ? .code(status >> 8 & 0xff) : .signal(status & 0x7f)
    }

    private static func all(of descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }
}
