internal import Control
internal import Supervision

/// Where a run is with one kind of calls, and what came of them.
struct LoadRecord: Equatable {
    private struct Client: Equatable {
        var isBusy = false
        var nextAt: Instant?
        /// The mark of the write that is under way.
        var mark: String?
    }

    private let load: Scenario.Load
    private let mark: String
    private var clients: [Client]
    private var count = 0
    private var lastProblem: String?

    private(set) var returned = 0
    /// By the kind of the exception.
    private(set) var rejected: [String: Int] = [:]
    private(set) var unanswered = 0
    private(set) var firstUnanswered: String?
    private(set) var times: [Duration] = []

    /// What identifies the writes that were acknowledged, and those that were not.
    private var acknowledged: [String] = []
    private var others: [String] = []
    /// Nil = nothing is found out (yet).
    private(set) var account: Account?
    private(set) var isFinding = false
    private(set) var nextFindAt: Instant?
    private(set) var findProblem: String?

    /// What was found in the end of what was written.
    struct Account: Equatable {
        var acknowledged: Int
        /// Marks of acknowledged writes that are not there.
        var lost: [String]
        /// Marks that are there more than once.
        var duplicated: [String]
        /// Writes that are there though their call was rejected or not answered.
        var unacknowledged: Int
    }

    init(_ load: Scenario.Load, mark: String) {
        self.load = load
        self.mark = mark
        clients = Array(repeating: Client(), count: load.clients)
    }

    var calls: Int { returned + rejected.values.reduce(0, +) + unanswered }
    var underWay: Int { clients.count(where: \.isBusy) }
    var nextAt: Instant? { clients.compactMap { $0.isBusy ? nil : $0.nextAt }.min() }
    var isSettled: Bool { load.find == nil || account != nil }

    /// Callers begin one after the other, so that they do not ask all at once.
    mutating func begin(at now: Instant) {
        for index in clients.indices { clients[index].nextAt = now + load.every * index / clients.count }
    }

    mutating func due(_ now: Instant, _ values: [String: JSONValue]) -> [(client: Int, call: CallSpec)] {
        var calls: [(Int, CallSpec)] = []
        for index in clients.indices where !clients[index].isBusy {
            guard let due = clients[index].nextAt, due <= now else { continue }
            count += 1
            let mark = "\(mark)-\(count)"
            clients[index] = Client(isBusy: true, nextAt: max(due + load.every, now), mark: mark)
            calls.append((index, load.call.filled(with: values.merging(["n": .string(mark)]) { $1 })))
        }
        return calls
    }

    /// What went wrong in a way that it had not before.
    mutating func answered(_ client: Int, _ answer: CallAnswer, at now: Instant) -> String? {
        clients[client].isBusy = false
        let mark = clients[client].mark ?? ""
        times.append(answer.took)
        var problem: String?
        switch answer.outcome {
        case .returned:
            returned += 1
            if load.find != nil { acknowledged.append(mark) }
        case .rejected(let exception):
            rejected[rejected.count < 100 ? ExceptionText.kind(exception) : "others", default: 0] += 1
            if load.find != nil { others.append(mark) }
        case .unanswered(let why):
            unanswered += 1
            problem = why
            if firstUnanswered == nil { firstUnanswered = why }
            if load.find != nil { others.append(mark) }
        }
        defer { lastProblem = problem }
        return problem == lastProblem ? nil : problem.map { "a call was not answered: \($0)" }
    }

    mutating func beginFind(at now: Instant) { nextFindAt = load.find == nil ? nil : now }

    mutating func dueFind(_ now: Instant, _ values: [String: JSONValue]) -> CallSpec? {
        guard !isFinding, let due = nextFindAt, due <= now, let find = load.find else { return nil }
        isFinding = true
        nextFindAt = nil
        return find.call.filled(with: values)
    }

    mutating func found(_ answer: CallAnswer, at now: Instant) {
        isFinding = false
        guard let find = load.find else { return }
        guard case .returned(let value) = answer.outcome, let elements = value.array else {
            findProblem =
                if case .returned = answer.outcome { "\(find.call.method) returned no list" } else {
                    answer.outcome.words
                }
            nextFindAt = now + ChaosRun.pause
            return
        }
        var times: [JSONValueKey: Int] = [:]
        for element in elements { times[JSONValueKey(element[find.member] ?? .null), default: 0] += 1 }
        func count(_ mark: String) -> Int {
            times[JSONValueKey(find.value.filled(with: ["n": .string(mark)]))] ?? 0
        }
        account = Account(
            acknowledged: acknowledged.count, lost: acknowledged.filter { count($0) == 0 },
            duplicated: (acknowledged + others).filter { count($0) > 1 },
            unacknowledged: others.count { count($0) > 0 })
        findProblem = nil
    }
}

/// A value by its text, for looking up.
private struct JSONValueKey: Hashable {
    private let text: String

    init(_ value: JSONValue) { text = JSONWriter.text(value) }
}
