internal import Control
internal import Glibc

/// Commands that need the JavaScript engine are another program's, which becomes this process: loading the engine takes
/// five times as long as all that the other commands do.
enum SupervisorHandover {
    static let program = "corehost-supervisor"

    static func run(_: ParsedArguments, _ console: Console) -> ExitCode {
        do throws(Installation.Failure) {
            let path = try Installation.program(program)
            var words: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
            defer { for word in words { free(word) } }
            words.append(nil)
            execv(path, words)
            console.error(
                "corehost: \(path): \(String(cString: strerror(errno))); install or build the programs together")
        } catch {
            console.error("corehost: \(error)")
        }
        return .bootFailed
    }
}
