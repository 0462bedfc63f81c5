internal import EventLoop
internal import Glibc
internal import Wire

/// The program `corehost-component`.
public enum ComponentProcess {
    /// Runs the component that the supervisor orders; the exit codes are those of `ComponentExitCode`.
    public static func run(_ given: [String]) -> Never {
        let arguments = ZygoteProcess.isWanted(given) ? ZygoteProcess.serve(given) : given
        guard let start = StartArguments(arguments), StartArguments.hasPipes else {
            say(StartArguments.usage)
            exit(ComponentExitCode.usage.rawValue)
        }
        guard let warnings = FirstActs.perform(supervisor: start.supervisor, nice: start.nice) else {
            exit(ComponentExitCode.parentGone.rawValue)
        }
        let loop: Loop
        do {
            loop = try Loop(pumpingGLib: true)
        } catch {
            say("corehost-component: no event loop: \(error)\n")
            exit(ComponentExitCode.sandbox.rawValue)
        }
        let host = ComponentHost(start, on: loop)
        host.start(warnings: warnings)
        withExtendedLifetime(host) { loop.run() }
        preconditionFailure("the loop ended while the control pipe was open")
    }

    private static func say(_ text: String) {
        // Nobody may be there to read it; the exit code says it too.
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}
