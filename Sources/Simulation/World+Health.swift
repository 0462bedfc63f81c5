import Supervision

/// Heartbeats, memory, calls of the core.
extension World {
    func resetHeart(_ driver: Driver) {
        let policy = driver.machine.spec.policy.heartbeat
        driver.heart = Heartbeat(policy)
        driver.heartAudit = HeartAudit(policy)
        driver.heartTimerAt = nil
    }

    func askAll() throws(Violation) {
        guard phase == .running else { return }
        for component in components {
            guard let driver = component.driver, driver.isRunning else { continue }
            events += 1
            let action = driver.heart.ask(at: now)
            try driver.heartAudit.asked(driver.heart, action, at: now)
            try act(action, driver)
        }
        later(.seconds(60), .round)
    }

    func traffic(_ driver: Driver) throws(Violation) {
        guard driver.isRunning else { return }
        events += 1
        driver.heart.expectTurn(at: now)
        try driver.heartAudit.expected(driver.heart, at: now)
        armHeart(driver)
    }

    func tickHeart(_ driver: Driver) throws(Violation) {
        events += 1
        let action = driver.heart.tick(at: now)
        try driver.heartAudit.ticked(driver.heart, action, at: now)
        try act(action, driver)
    }

    func answered(_ driver: Driver, _ number: UInt32) throws(Violation) {
        events += 1
        let action = driver.heart.answered(number, at: now)
        try driver.heartAudit.answered(driver.heart, number, action, at: now)
        try act(action, driver)
    }

    private func act(_ action: Heartbeat.Action?, _ driver: Driver) throws(Violation) {
        switch action {
        case .ask(let number):
            driver.child?.heartbeat = number
            if let child = driver.child, !child.isDead, !child.hangs, !child.isStopped, let after = child.plan.answers {
                driver.heartAudit.answers(number, at: now + after)
                childLater(driver, child, after, .answers(number))
            }
        case .hung(let silence):
            note { "\(driver.machine.spec.id): silent for \(silence.text), the end" }
            mix(UInt64(bitPattern: now.nanoseconds))
            let isLoop = driver.child?.isStopped == false
            try deliver(
                .hung(Hang(silentFor: silence, stack: isLoop ? "#0 f" : nil, processState: isLoop ? "R" : "T")),
                to: driver.component)
        case .overdue(let silence): note { "\(driver.machine.spec.id): silent for \(silence.text)" }
        case .recovered(let silence): note { "\(driver.machine.spec.id): gives turns again after \(silence.text)" }
        case nil: break
        }
        armHeart(driver)
    }

    func armHeart(_ driver: Driver) {
        let due = phase == .running ? driver.heart.deadline : nil
        guard due != driver.heartTimerAt else { return }
        driver.heartTimerAt = due.map { max($0, now) }
        if let at = driver.heartTimerAt { agenda.add((epoch, .timer(.heart(driver.component))), at: at) }
    }

    // MARK: The core

    func tickCoreHeart() throws(Violation) {
        events += 1
        let action = coreHeart.tick(at: now)
        try coreHeartAudit.ticked(coreHeart, action, at: now)
        actOnCore(action)
    }

    func coreAnswers(_ number: UInt32) throws(Violation) {
        guard phase == .running else { return }
        events += 1
        let action = coreHeart.answered(number, at: now)
        try coreHeartAudit.answered(coreHeart, number, action, at: now)
        coreHeart.expectTurn(at: now)
        try coreHeartAudit.expected(coreHeart, at: now)
        actOnCore(action)
    }

    private func actOnCore(_ action: Heartbeat.Action?) {
        switch action {
        case .ask(let number):
            let at = max(now + .milliseconds(1), coreHangsUntil)
            coreHeartAudit.answers(number, at: at)
            agenda.add((epoch, .coreAnswers(number)), at: at)
        case .hung: return giveUp()
        case .overdue, .recovered, nil: break
        }
        armCoreHeart()
    }

    func armCoreHeart() {
        let due = phase == .running ? coreHeart.deadline : nil
        guard due != coreHeartTimerAt else { return }
        coreHeartTimerAt = due.map { max($0, now) }
        if let at = coreHeartTimerAt { agenda.add((epoch, .timer(.coreHeart)), at: at) }
    }

    // MARK: Memory

    func sees(_ driver: Driver, holding held: Int) throws(Violation) {
        events += 1
        let action = driver.memory.see(held)
        try driver.memoryAudit.saw(held, action)
        if case .end(let over) = action { try deliver(.overMemory(over), to: driver.component) }
    }

    // MARK: Calls

    func call(_ limit: Duration, answersAfter: Duration?) throws(Violation) {
        guard phase == .running else { return }
        callNumbers += 1
        events += 1
        calls.began(callNumbers, "call \(callNumbers)", limit: limit, at: now)
        try callAudit.began(callNumbers, "call \(callNumbers)", limit, calls, at: now)
        if let answersAfter { later(answersAfter, .callEnds(callNumbers)) }
        armCalls()
    }

    func callEnds(_ number: UInt64) throws(Violation) {
        events += 1
        let late = calls.ended(number, at: now)
        try callAudit.ended(number, late, calls, at: now)
        armCalls()
    }

    func tickCalls() throws(Violation) {
        events += 1
        let told = calls.tick(at: now)
        try callAudit.ticked(told, calls, at: now)
        armCalls()
    }

    func armCalls() {
        let due = phase == .running ? calls.deadline : nil
        guard due != callTimerAt else { return }
        callTimerAt = due.map { max($0, now) }
        if let at = callTimerAt { agenda.add((epoch, .timer(.call)), at: at) }
    }
}
