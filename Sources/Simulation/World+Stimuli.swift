import Supervision

/// What comes from outside.
extension World {
    func apply(_ stimulus: Stimulus) throws(Violation) {
        note { "input: \(stimulus)" }
        switch stimulus {
        case .start(let index, let by):
            try command(.start(by: by), index)
            if case .user = by { try startedByUser(index) }
        case .stop(let index, let by): try command(.stop(by: by), index)
        case .restart(let index, let by):
            try command(.restart(by: by), index)
            if case .user = by { try startedByUser(index) }
        case .kill(let index, let signal): try command(.kill(signal: signal, by: .user("u")), index)
        case .adopt(let index, let policy): try adopt(index, policy)
        case .wake(let index): try wake(index)
        case .conditions(let seen): conditions = seen
        case .permit(let tasks): try schedule(.permitted(tasks))
        case .adoptType(let index, let type):
            components[index].policy.restart = type
            guard let driver = components[index].driver else { return }
            driver.machine.adopt(type)
            driver.audit.adopt(driver.machine.spec.policy)
        case .shutdown: try shutdown()
        case .demand(let index):
            guard phase == .running, case .loggedIn = login.state else { return }
            let connector = newPort(index, components[index].nextCorePlan())
            try coreSays(.fromCore(index, .startRequested(connector: connector)))
        case .closeByCore(let index, let atPort):
            guard let connector = components[index].driver?.machine.connectorID else { return }
            if atPort { closePort(connector, .byPlatform) } else { try command(.stop(by: .core), index) }
        case .core(let index, let plan, let times): components[index].add(plan, times: times)
        case .repeatNews(let index, let back):
            if let news = components[index].driver?.news, back < news.count { try deliver(news[back], to: index) }
        case .traffic(let index):
            if phase == .running, let driver = components[index].driver { try traffic(driver) }
        case .call(let limit, let answersAfter): try call(limit, answersAfter: answersAfter)
        case .coreHangs(let time):
            coreHangsUntil = max(coreHangsUntil, now + time)
            if let endsBy { self.endsBy = endsBy + time }
        case .lives(let index, let plan, let times): components[index].add(plan, times: times)
        case .act(let index, let act):
            guard let driver = components[index].driver, let child = driver.child, !child.isDead else { return }
            // It is there from the moment that its spawn is answered.
            if driver.machine.pid == child.pid { try does(act, driver, child) }
        case .spawnsFail(let index, let errno, let times): components[index].addFailure(errno, times: times)
        case .stall(let time, let timersFirst): stall(time, timersFirst: timersFirst)
        case .earlyTick(let index): try command(.tick, index)
        case .ambush(let index, let moment, let after, let what):
            components[index].ambushes.append(.init(moment: moment, after: after, what: what))
        case .login(let user, let kind, let outcome):
            guard phase == .running || phase == .booting else { return }
            requests += 1
            self.outcome = outcome
            try handle(.asked(requests, kind, address: Setup.users[user]))
        case .logout:
            guard phase == .running || phase == .booting else { return }
            requests += 1
            try handle(.logoutAsked(requests))
        case .signedInUnasked(let user): try signedIn(Setup.users[user])
        }
    }

    private func command(_ event: ComponentEvent, _ index: Int) throws(Violation) {
        guard phase == .running || phase == .closing else { return }
        try deliver(event, to: index)
    }

    private func startedByUser(_ index: Int) throws(Violation) {
        guard phase == .running else { return }
        try schedule(.startedByUser(components[index].spec.id))
    }

    private func adopt(_ index: Int, _ policy: RestartPolicy) throws(Violation) {
        components[index].policy = policy
        guard let driver = components[index].driver else { return }
        driver.machine.adopt(policy)
        driver.audit.adopt(policy)
        try schedule(.changed(taskSpecs))
    }

    /// What would have happened meanwhile happens after it, one upon the other.
    private func stall(_ time: Duration, timersFirst: Bool) {
        let until = now + time
        var held: [(epoch: UInt64, what: Occurrence)] = []
        while let next = agenda.next, next <= until, let entry = agenda.pop() { held.append(entry.what) }
        now = until
        if let endsBy { self.endsBy = endsBy + time }
        for component in components {
            component.driver?.heartAudit.slept(until: until)
            component.driver?.timerAt = nil
            component.driver?.heartTimerAt = nil
        }
        coreHeartAudit.slept(until: until)
        (coreHeartTimerAt, callTimerAt, taskTimerAt) = (nil, nil, nil)
        if timersFirst { rearm() }
        for entry in held where !entry.what.isTimer { agenda.add(entry, at: now) }
        if !timersFirst { rearm() }
    }
}

extension World.Occurrence {
    /// One that is set again from what its machine says.
    fileprivate var isTimer: Bool {
        switch self {
        case .timer, .timerBehindArrivals, .taskTimer: true
        case .input, .stimulus, .round, .coreAnswers, .callEnds, .child, .fromCore, .portEnds, .coreReady, .login,
            .mustHaveEnded, .boot:
            false
        }
    }
}
