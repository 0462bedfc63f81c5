internal import EventLoop
internal import JSEngine
public import Networking
public import PortBridge
internal import Synchronization

/// A fault of the core plane that is injected on purpose.
public enum CoreFault: Sendable {
    case port(connector: String, PortFault)
    /// One call into the core's JavaScript that takes so long.
    case busy(Duration)
    /// So many calls of this name into the core throw.
    case exception(call: String, times: Int)
    case network(NetworkFault)
}

/// Faults of the core plane that are in force; those of ports are the ports' own.
final class CoreFaults {
    private var exceptions: [Int: (call: String, left: Int)] = [:]
    private var network: Int?
    private let stopped: StoppedFault

    init(_ stopped: StoppedFault) { self.stopped = stopped }

    /// The error that a call of this name is to end with.
    func error(ofCall name: String) -> JSError? {
        guard let (number, fault) = exceptions.first(where: { $0.value.call == name && $0.value.left > 0 }) else {
            return nil
        }
        exceptions[number] = (fault.call, fault.left - 1)
        return JSError(name: "Error", message: "injected fault \(number)")
    }

    func makeFail(_ call: String, times: Int, number: Int) { exceptions[number] = (call, times) }

    func setNetwork(_ number: Int) { network = number }

    /// True: that was the network's.
    func forget(_ number: Int) -> Bool {
        exceptions[number] = nil
        guard network == number else { return false }
        network = nil
        return true
    }

    func isStopped(_ number: Int) -> Bool { stopped.number == number }
}

/// The fault that is to end although the core's thread hears of nothing.
final class StoppedFault: Sendable {
    private let value = Atomic(0)

    var number: Int { value.load(ordering: .relaxed) }
    func stop(_ number: Int) { value.store(number, ordering: .relaxed) }
}

extension CoreSession {
    func inject(_ number: Int, _ fault: CoreFault, answer: UInt64) {
        switch fault {
        case .port(let connector, let fault):
            let reason = headless?.inject(fault, connector)
            tell(.called(number: answer, reason.map { .refused($0) } ?? .returned("null")))
            return
        case .busy(let time):
            tell(.called(number: answer, .returned("null")))
            keepBusy(time, number)
            return
        case .exception(let call, let times): faults.makeFail(call, times: times, number: number)
        case .network(let fault):
            faults.setNetwork(number)
            network?.fault = fault
            connectivity?.isGone = fault == .gone
        }
        tell(.called(number: answer, .returned("null")))
    }

    func undoFault(_ number: Int, connector: String?) {
        if let connector { headless?.undoFault(number, connector) }
        guard faults.forget(number) else { return }
        network?.fault = nil
        connectivity?.isGone = false
    }

    private func keepBusy(_ time: Duration, _ number: Int) {
        guard let engine = host?.engine else { return }
        let end = ContinuousClock.now + time
        let isOver = engine.makeFunction { [unowned self, unowned engine] _ in
            engine.boolean(.now >= end || faults.isStopped(number))
        }
        do throws(JSError) {
            let loop = try engine.evaluate("isOver => { while (!isOver()); }", sourceName: "js/fault")
            try engine.call(loop, [isOver])
        } catch {
            tell(.console(.error, "injected fault \(number): \(error)"))
        }
    }
}
