internal import Control
internal import CoreHosting
internal import EventLoop
internal import Supervision

/// `eval`, where `run --allow-eval` allows it.
extension Supervisor {
    /// An evaluation under way in a component.
    struct OpenEvaluation {
        let id: ComponentID
        let exchange: ControlExchange
        let limit: Timer
    }

    /// Beyond the time that the expression has, which is the processor's: for a busy machine, and for a component that is in
    /// another call.
    private static let grace = Duration.seconds(10)

    func evaluate(_ request: EvalRequest, _ exchange: ControlExchange) throws(ControlError) {
        guard options.allowsEval else {
            throw ControlError(
                .refused, "eval is off; start the supervisor with `corehost run --allow-eval` to have it")
        }
        if request.id == "core" { return try evaluateInCore(request, exchange) }
        let driver = try find(request.id)
        guard case .running = driver.machine.state, let child = driver.child else {
            throw ControlError(
                .refused, "\(driver.id) does not run (it is \(driver.machine.state.name)); nothing to ask")
        }
        lastEvaluation &+= 1
        let number = lastEvaluation
        let limit = Timer(on: loop)
        evaluations[number] = OpenEvaluation(id: driver.id, exchange: exchange, limit: limit)
        exchange.onGone = { [weak self] in self?.endEvaluation(number) }
        let time = Duration.milliseconds(request.timeout)
        limit.startBehindArrivals(after: time + Self.grace) { [unowned self] in
            endEvaluation(number)?.exchange.fail(
                ControlError(.timedOut, "\(driver.id) has given no turn for \((time + Self.grace).text)"))
        }
        child.evaluate(request.expression, within: time, number: number)
    }

    private func evaluateInCore(_ request: EvalRequest, _ exchange: ControlExchange) throws(ControlError) {
        guard phase == .running else { throw notRunning }
        let limit = Duration.milliseconds(request.timeout)
        let forget = ask({ .evaluate(number: $0, request.expression, within: limit) }) { outcome in
            switch outcome {
            case .returned(let value): exchange.reply(EvalReply(id: "core", value: value))
            case .rejected(let reason), .refused(let reason): exchange.fail(ControlError(.failed, "core: \(reason)"))
            }
        }
        exchange.onGone = forget
    }

    func evaluated(_ number: UInt32, _ value: String?, failure: String?, _ driver: ComponentDriver) {
        // Of one that was given up there is nobody to tell.
        guard evaluations[number]?.id == driver.id, let open = endEvaluation(number) else { return }
        if let value {
            open.exchange.reply(EvalReply(id: "\(driver.id)", value: value))
        } else {
            open.exchange.fail(ControlError(.failed, "\(driver.id): \(failure ?? "no reason was given")"))
        }
    }

    /// Its process has gone.
    func failEvaluations(of driver: ComponentDriver) {
        for (number, open) in evaluations where open.id == driver.id {
            endEvaluation(number)
            open.exchange.fail(ControlError(.failed, "\(driver.id) has ended; see `corehost inspect \(driver.id)`"))
        }
    }

    @discardableResult
    private func endEvaluation(_ number: UInt32) -> OpenEvaluation? {
        let open = evaluations.removeValue(forKey: number)
        open?.limit.close()
        return open
    }
}
