import Glibc
import Supervision
import Testing

/// A fault is named in the ends that it explains, and in no others.
@Suite struct InjectedFaultTests {
    private static func fault(_ effect: InjectedFault.Effect, id: Int = 3) -> InjectedFault {
        InjectedFault(id: id, kind: "made-up", seed: 9, effect: effect)
    }

    private func verdict(_ end: @escaping VerdictExamples.End) -> Verdict? {
        var driver = MachineDriver(.permanent)
        return recorded(VerdictExamples.running(end)(&driver))
    }

    private func applied(_ effects: InjectedFault.Effect..., exit: Supervision.ExitStatus) -> Verdict? {
        verdict { driver in
            for (index, effect) in effects.enumerated() {
                driver.at(20, .faultApplied(Self.fault(effect, id: index + 1)))
            }
            return driver.die(21, "c1", exit)
        }
    }

    @Test func itIsNamedWhereItExplainsTheEnd() {
        let explained = applied(.exit(7), exit: .exited(7))
        #expect(explained?.cause == .exited && explained?.evidence.fault?.id == 1)
        #expect(explained?.text == "exited with 7; injected fault 1 (made-up, seed 9)")
        #expect(applied(.exit(7), exit: .exited(8))?.evidence.fault == nil)
        #expect(applied(.signal(SIGTERM), exit: .signalled(SIGKILL))?.evidence.fault == nil)
        #expect(applied(.causes([.uncaughtError]), exit: .exited(20))?.evidence.fault?.id == 1)
        #expect(applied(.causes([.uncaughtError]), exit: .exited(21))?.evidence.fault == nil)
        #expect(applied(.exit(1), .any, .any, exit: .exited(5))?.evidence.fault?.id == 2)
    }

    @Test func whatIsUndoneExplainsNothing() {
        let undone = verdict {
            $0.at(20, .faultApplied(Self.fault(.any)))
            $0.at(20, .faultUndone(id: 3))
            return $0.die(21, "c1", .exited(5))
        }
        #expect(undone?.text == "exited with 5" && undone?.evidence.fault == nil)
    }

    @Test func itsSignalIsAKillOfItsOwn() {
        let killed = verdict {
            $0.at(20, .kill(signal: SIGTERM, by: .fault(Self.fault(.signal(SIGTERM)))))
            return $0.die(20, "c1", .signalled(SIGTERM))
        }
        #expect(killed?.cause == .killed && killed?.certainty == .proved && killed?.evidence.fault?.id == 3)
        #expect(killed?.text == "killed with SIGTERM by injected fault 3 (made-up, seed 9)")
    }

    @Test func itDoesNotOutliveItsLife() {
        var driver = MachineDriver(.permanent)
        driver.becomeReady(0, "c1")
        driver.at(20, .faultApplied(Self.fault(.any)))
        driver.die(21, "c1", .exited(5))
        driver.becomeReady(22, "c2")
        #expect(recorded(driver.die(40, "c2", .exited(5)))?.evidence.fault == nil)
    }
}
