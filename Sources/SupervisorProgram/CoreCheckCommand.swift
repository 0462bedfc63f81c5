internal import Commands
internal import Control
internal import CoreCheck
internal import Glibc

/// `corehost core check DIR`.
enum CoreCheckCommand {
    static let core = CoreCommand.core.performed { arguments, console in
        guard let verb = arguments.operand(0), verb == "check", let folder = arguments.operand(1) else {
            throw UsageError("core: the one thing to do with a core is to check it: corehost core check DIR")
        }
        let limitText = arguments.value(of: CoreCommand.timeout)
        guard let limit = limitText.map(TimeOption.parse) ?? .seconds(10), limit > .zero else {
            throw UsageError("core: --timeout is \"\(limitText ?? "")\"; give a time like 500ms, 10s, 2m")
        }
        return try check(folder, limit, arguments, console)
    }

    private static func check(
        _ folder: String, _ limit: Duration, _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        let isJSON = arguments.has(.json)
        var findings: [CheckFinding] = []
        var failure: (any Error)?
        let outcome: CoreCheck.Outcome
        do {
            let resources = try Installation.resources(arguments.value(of: RunOption.resources))
            outcome = try CoreCheck.run(folder, resources: resources, stepLimit: limit) { finding in
                findings.append(finding)
                guard !isJSON, failure == nil else { return }
                // A reader that has gone does not keep the scratch folder from being removed.
                do { try console.print(CheckTable.line(finding, console)) } catch { failure = error }
            }
        } catch let error as CoreCheck.Failure {
            console.error("corehost: \(error)")
            return .dataFolderNotUsable
        } catch let error as Installation.Failure {
            console.error("corehost: \(error)")
            return .bootFailed
        }
        if let path = outcome.leftBehind { console.error("corehost: \(path) could not be removed; remove it") }
        if let number = outcome.signal { end(by: number) }
        var code: ExitCode = outcome.isValid ? .ok : .coreBundleInvalid
        do {
            if let failure { throw failure }
            try console.print(
                isJSON
                    ? JSONWriter.indented(CheckTable.json(folder, outcome, findings))
                    : CheckTable.verdict(folder, outcome, findings))
        } catch is OutputClosed {
            // Who has read enough still gets the verdict.
        } catch {
            console.error("corehost: \(error)")
            code = .failed
        }
        // `exit` would take the libraries away from under the thread that the bundles still hold.
        if outcome.isThreadHeld { _exit(code.rawValue) }
        return code
    }

    /// As the signal would have, had it not been waited for: a shell sees what ended the command.
    private static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        kill(getpid(), number)
        _exit(128 + number)
    }
}
