import Supervision

/// Calls of the core beside a plain list of them.
struct CallAudit {
    private struct Call {
        let number: UInt64
        let name: String
        let began: Instant
        var tellAt: Instant
        var isTold = false
    }

    private var calls: [Call] = []

    mutating func began(
        _ number: UInt64, _ name: String, _ limit: Duration, _ watch: CallWatch, at now: Instant
    ) throws(Violation) {
        calls.append(Call(number: number, name: name, began: now, tellAt: now + limit))
        try check(watch)
    }

    mutating func ended(
        _ number: UInt64, _ late: CallWatch.Overdue?, _ watch: CallWatch, at now: Instant
    ) throws(Violation) {
        var due: Duration?
        if let index = calls.firstIndex(where: { $0.number == number }) {
            let call = calls.remove(at: index)
            if call.isTold { due = now - call.began }
        }
        try require(
            .lateCallsAreTold, late?.age == due,
            "an answer is told as late by \(late?.age.text ?? "nothing"), and due is \(due?.text ?? "nothing")")
        try check(watch)
    }

    mutating func ticked(_ told: [CallWatch.Overdue], _ watch: CallWatch, at now: Instant) throws(Violation) {
        var due: [(name: String, age: Duration)] = []
        for index in calls.indices where calls[index].tellAt <= now {
            let age = now - calls[index].began
            calls[index].tellAt = now + age
            calls[index].isTold = true
            due.append((calls[index].name, age))
        }
        try require(
            .lateCallsAreTold, told.map(\.name) == due.map(\.name) && told.map(\.age) == due.map(\.age),
            "\(told.count) late calls are told, and \(due.count) are late")
        try check(watch)
    }

    private func check(_ watch: CallWatch) throws(Violation) {
        let late = calls.filter(\.isTold).map(\.number)
        try require(
            .lateCallsAreTold, watch.overdue.map(\.number) == late && watch.count == calls.count,
            "\(watch.count) calls are open, \(watch.overdue.count) late; \(calls.count) and \(late.count) should be")
        try require(
            .lateCallsAreTold, watch.deadline == calls.map(\.tellAt).min(), "the next look at open calls is wrong")
    }
}
