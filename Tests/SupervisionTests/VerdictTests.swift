import Foundation
import Glibc
import Supervision
import Testing

/// The closed list of causes, and docs/verdicts.md against the rules themselves.
@Suite struct VerdictTests {
    /// Of the table in docs/verdicts.md: cause, meaning, proofs, exit codes, certainties, what follows.
    private struct Row {
        let cells: [String]
        var cause: String { cells[0] }
        var codes: [Int32] { cells[3].split(separator: " ").compactMap { Int32($0) } }
        var certainties: Set<String> { Set(cells[4].split(separator: " ").map(String.init)) }
        var follows: [String] { cells[5].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    private static let rows: [Row] = {
        let file = URL(filePath: #filePath).appending(path: "../../../docs/verdicts.md").standardized
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let first = text.components(separatedBy: "\n## ").first ?? ""
        return first.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            Row(
                cells: line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                    $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
                })
        }
    }()

    private func verdict(_ end: VerdictExamples.End, _ restart: RestartType = .permanent) -> (Verdict?, String) {
        var driver = MachineDriver(restart)
        let verdict = recorded(end(&driver))
        let follows =
            switch driver.machine.state {
            case .waiting, .starting: "restart"
            case .down: "down"
            case .failed: "failed"
            case .running, .closing: "none"
            }
        return (verdict, follows)
    }

    @Test func theDocumentListsEveryCauseOnceAndNoOther() {
        #expect(Self.rows.map(\.cause).sorted() == Verdict.Cause.allCases.map(\.rawValue).sorted())
        #expect(Self.rows.allSatisfy { $0.cells.count == 6 && !$0.cells.contains("") })
    }

    @Test(arguments: Verdict.Cause.allCases)
    func theDocumentSaysWhatTheRulesDo(cause: Verdict.Cause) throws {
        let row = try #require(Self.rows.first { $0.cause == cause.rawValue })
        var certainties: Set<String> = []
        for end in VerdictExamples.of(cause) {
            let (verdict, _) = verdict(end)
            #expect(verdict?.cause == cause, "\(verdict?.text ?? "no verdict")")
            #expect(verdict?.text.isEmpty == false)
            if let verdict { certainties.insert(verdict.certainty.rawValue) }
            #expect(RestartType.allCases.map { self.verdict(end, $0).1 } == row.follows, "\(cause)")
        }
        #expect(certainties == row.certainties)
    }

    /// Of a process that reports nothing and does not say bye.
    @Test func theDocumentGivesEachExitCodeItsCause() {
        for code: Int32 in 0..<256 where code != 0 {
            let (verdict, _) = verdict(VerdictExamples.exit(code))
            let named = Self.rows.filter { $0.codes.contains(code) }.map(\.cause)
            #expect(named == (verdict?.cause == .exited ? [] : [verdict?.cause.rawValue]), "\(code)")
        }
        let silent = verdict(VerdictExamples.exit(0)).0
        #expect(silent?.cause == .exited && silent?.text == "exited with 0 without saying bye")
    }

    @Test(
        arguments: [
            (SIGABRT, .itself, "ended by sending SIGABRT: its engine or a library of it gave up"),
            (
                SIGABRT, .process(pid: 4711, uid: 1000, name: "bash"),
                "ended by SIGABRT from process 4711 (uid 1000, bash)"
            ),
            (SIGTERM, .process(pid: 4711, uid: 0, name: nil), "ended by SIGTERM from process 4711 (uid 0)"),
            (SIGTERM, .process(pid: 0, uid: 0, name: nil), "ended by SIGTERM from outside of this container (uid 0)"),
            (SIGSEGV, .fault(address: 0xbbad_beef), "crashed: SIGSEGV at address 0xbbadbeef"),
            (SIGTRAP, .fault(address: 1), "crashed: SIGTRAP"),
            (SIGHUP, .kernel, "ended by SIGHUP of the kernel"),
            (SIGSYS, .process(pid: 5, uid: 0, name: "kill"), "ended by SIGSYS from process 5 (uid 0, kill)"),
        ] as [(Int32, FatalSignal.Origin, String)])
    func whereASignalCameFromIsSaid(signal: Int32, origin: FatalSignal.Origin, text: String) {
        let (verdict, _) = verdict(VerdictExamples.signalled(signal, origin))
        #expect(verdict?.text == text && verdict?.certainty == .told)
        #expect(verdict?.evidence.fatal == FatalSignal(signal: signal, origin: origin))
    }

    @Test(
        arguments: [
            (SIGABRT, "ended by SIGABRT, by its engine, which gave up, or from outside"),
            (SIGBUS, "ended by SIGBUS, for a fault of its own, or from outside"),
            (SIGKILL, "ended by SIGKILL from outside, or by the kernel for want of memory"),
            (SIGTERM, "ended by SIGTERM"),
        ] as [(Int32, String)])
    func whatNothingShowsIsNotClaimed(signal: Int32, text: String) {
        let (verdict, _) = verdict(VerdictExamples.running { $0.die(1, "c1", .signalled(signal)) })
        #expect(verdict?.cause == .signalled && verdict?.certainty == .likely && verdict?.text == text)
    }

    /// A user asked for SIGTERM, and the process says that the one that ended it came from somebody else.
    @Test func aSignalOfSomebodyElseIsNotTheUsersKill() {
        func end(_ origin: FatalSignal.Origin) -> Verdict? {
            verdict(
                VerdictExamples.running {
                    $0.at(1, .kill(signal: SIGTERM, by: user))
                    $0.at(1, .fatalSignal(FatalSignal(signal: SIGTERM, origin: origin)))
                    return $0.die(1, "c1", .signalled(SIGTERM))
                }
            ).0
        }
        #expect(end(.supervisor)?.cause == .killed && end(.supervisor)?.evidence.command == "kill SIGTERM")
        #expect(end(.process(pid: 9, uid: 0, name: nil))?.cause == .signalled)
    }

    @Test func wordsOfTheKernelAreEvidence() {
        let line = "Memory cgroup out of memory: Killed process 7 (corehost-compon) total-vm:1kB"
        let group = verdict(VerdictExamples.killed(.killed(isGroup: true, line: line))).0
        #expect(group?.text == "killed by the kernel for want of memory: its control group's was used up")
        #expect(group?.certainty == .proved && group?.evidence.kernel == .killed(isGroup: true, line: line))
        let machine = verdict(VerdictExamples.killed(.killed(isGroup: false, line: line))).0
        #expect(machine?.text == "killed by the kernel for want of memory: the machine's was used up")
        #expect(
            verdict(VerdictExamples.killed(.silent)).0?.text
                == "ended by SIGKILL from outside; the kernel tells of no want of memory")
    }
}
