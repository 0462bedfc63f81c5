import Supervision

/// The supervisor as a whole: its start, its users, its end.
extension World {
    func boot() throws(Violation) {
        epoch += 1
        phase = .booting
        queue = StartQueue(limit: setup.slots)
        queueAudit = QueueAudit(limit: setup.slots)
        login = LoginMachine(isLocal: setup.isLocal, expected: setup.expectedUser)
        loginAudit = LoginAudit(isLocal: setup.isLocal, expected: setup.expectedUser)
        (calls, callAudit, callTimerAt) = (CallWatch(), CallAudit(), nil)
        (tasks, taskAudit, taskTimerAt) = (BackgroundTaskManager(permitted: tasks.permitted), TaskAudit(), nil)
        coreHeart = Heartbeat(setup.coreHeartbeat)
        coreHeartAudit = HeartAudit(setup.coreHeartbeat)
        (coreHeartTimerAt, coreHangsUntil, endsBy) = (nil, now, nil)
        (connectors, ports) = ([:], [:])
        note { "a supervisor starts" }
        later(.milliseconds(50), .coreReady)
    }

    func coreReady() throws(Violation) {
        guard phase == .booting else { return }
        phase = .running
        coreHeart.expectTurn(at: now)
        try coreHeartAudit.expected(coreHeart, at: now)
        armCoreHeart()
        later(.seconds(60), .round)
        let user = setup.isLocal ? "local" : setup.expectedUser ?? Setup.users[0]
        try handle(.coreReady(setup.isLocal ? .waiting : .cached(userId: user)))
        later(.milliseconds(20), .login(.signedIn(userId: user)))
    }

    func handle(_ event: LoginMachine.Event) throws(Violation) {
        events += 1
        let actions = login.handle(event, at: now)
        mix(UInt64(actions.count) << 32 | UInt64(bitPattern: now.nanoseconds))
        note { "login: \(event) → \(actions)" }
        try loginAudit.check(event, actions, login, componentsAreDown: allAreDown)
        for action in actions { try perform(action) }
    }

    func signedIn(_ user: String) throws(Violation) {
        guard phase == .running else { return }
        if login.awaitsUser { adoptCatalog() }
        try handle(.signedIn(userId: user))
    }

    private func adoptCatalog() {
        for (index, component) in components.enumerated()
        where component.driver == nil && !component.spec.isForOneConnection {
            make(index)
        }
    }

    func make(_ index: Int) {
        let component = components[index]
        component.driver = Driver(index, ComponentSpec(id: component.spec.id, policy: component.policy))
    }

    private func perform(_ action: LoginMachine.Action) throws(Violation) {
        switch action {
        case .attempt(let number, _, let address):
            guard let after = outcome.after else { return }
            later(
                after,
                .login(
                    outcome.succeeds
                        ? .signedIn(userId: address) : .attemptFailed(number, .wrongPassword(address: address))))
        case .startComponents: try schedule(.loggedIn(taskSpecs))
        case .closeComponents:
            mustEnd()
            try schedule(.loggedOut)
            for index in components.indices { try deliver(.logout, to: index) }
            try logOutIfAllAreDown()
        case .renewCore:
            for component in components { component.driver = nil }
            endsBy = phase == .closing ? endsBy : nil
            let event = outcome.renewal == nil ? LoginMachine.Event.coreNotRenewed(reason: "busy") : .coreRenewed
            later(outcome.renewal ?? .milliseconds(10), .login(event))
        case .accept, .refuse, .loggedOut, .reject: break
        }
    }

    var allAreDown: Bool { components.allSatisfy { $0.driver?.isDown ?? true } }

    func logOutIfAllAreDown() throws(Violation) {
        if case .closingComponents = login.state, allAreDown { try handle(.componentsDown) }
    }

    /// A second one does not wait for the components.
    func shutdown() throws(Violation) {
        guard phase != .over else { return }
        let isFast = phase == .closing
        if !isFast {
            phase = .closing
            try handle(.shutdown)
            mustEnd()
            try schedule(.loggedOut)
        }
        for index in components.indices { try deliver(.shutdown(fast: isFast), to: index) }
        finishIfDone()
    }

    /// From now on there is a time by which all components are down: what the rules give the slowest, and what the
    /// simulated core, kernel and spawn take at most.
    private func mustEnd() {
        let slowest =
            components.compactMap { $0.driver?.machine.spec.policy }.map { $0.stopGrace + $0.killAfter }.max() ?? .zero
        endsBy = now + slowest + Generator.slowest
        later(slowest + Generator.slowest, .mustHaveEnded)
    }

    func finishIfDone() {
        guard phase == .closing, !isDelivering, allAreDown else { return }
        note { "the supervisor ends" }
        end(nextAfter: .seconds(1))
    }

    /// What is under way is gone with the supervisor; another one starts.
    private func end(nextAfter: Duration) {
        phase = .over
        for component in components { component.driver = nil }
        epoch += 1
        endsBy = nil
        later(nextAfter, .boot)
    }

    /// The core gives no turn: the supervisor ends, and with it its children.
    func giveUp() {
        note { "the core hangs: the supervisor gives up" }
        end(nextAfter: .seconds(5))
    }
}
