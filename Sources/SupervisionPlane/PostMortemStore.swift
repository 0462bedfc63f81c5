internal import Control
internal import EventLoop
internal import Logging
internal import PostMortems

/// The deaths of all components, kept on the disk by libuv's workers: the loop never waits for it.
final class PostMortemStore {
    /// Values in, values out; one at a time is under way.
    private enum Job: Sendable {
        case append([JSONValue.Member], [LogLine], component: String, cost: Int)
        case read(component: String)
        case latest(Int)
    }

    private enum Answer: Sendable {
        case appended
        case deaths([JSONValue])
        case latest([String: [JSONValue]])
    }

    /// Used by the one job that is under way alone, which makes it safe to hand to another thread.
    private final class Files: @unchecked Sendable {
        let files: DeathFiles
        init(_ files: DeathFiles) { self.files = files }
    }

    /// Bytes of deaths that wait for the disk.
    private static let mostWaiting = 4 << 20

    private let loop: Loop
    private let files: Files
    private var jobs: [(job: Job, done: (Answer) -> Void)] = []
    private var isWorking = false
    private var waiting = 0
    private var dropped = 0
    private var fromFiles = DeathFiles.Report()
    private var whenIdle: (() -> Void)?

    /// Is told when the disk stops taking deaths (why), and when it takes them again (nil).
    var failureChanged: ((String?) -> Void)?

    init(folder: String, on loop: Loop) {
        self.loop = loop
        files = Files(DeathFiles(folder: folder))
    }

    var report: DeathFiles.Report {
        var report = fromFiles
        report.lost += dropped
        return report
    }

    /// - Parameter lines: the log's, which become the member `log`.
    func keep(_ death: [JSONValue.Member], _ lines: [LogLine], of component: String) {
        let cost = 4096
        guard waiting + cost <= Self.mostWaiting else {
            dropped += 1
            return
        }
        waiting += cost
        put(.append(death, lines, component: component, cost: cost)) { _ in }
    }

    /// Oldest first.
    func read(_ component: String, done: @escaping ([JSONValue]) -> Void) {
        put(.read(component: component)) { if case .deaths(let deaths) = $0 { done(deaths) } }
    }

    /// The last ones of every component, by its id without an instance.
    func latest(_ count: Int, done: @escaping ([String: [JSONValue]]) -> Void) {
        put(.latest(count)) { if case .latest(let deaths) = $0 { done(deaths) } }
    }

    /// Once everything that was asked for is done.
    func atRest(_ body: @escaping () -> Void) {
        guard isWorking else {
            body()
            return
        }
        whenIdle = body
    }

    private func put(_ job: Job, done: @escaping (Answer) -> Void) {
        jobs.append((job, done))
        work()
    }

    private func work() {
        guard !isWorking, !jobs.isEmpty else { return }
        isWorking = true
        let batch = jobs
        jobs = []
        let (tasks, files) = (batch.map(\.job), files)
        loop.work {
            (tasks.map { Self.perform($0, files.files) }, files.files.report)
        } done: { [self] answers, report in
            isWorking = false
            for case (.append(_, _, _, let cost), _) in batch { waiting -= cost }
            let before = fromFiles.failure
            fromFiles = report
            if (before == nil) != (report.failure == nil) { failureChanged?(report.failure) }
            for ((_, done), answer) in zip(batch, answers) { done(answer) }
            work()
            if !isWorking { whenIdle?() }
        }
    }

    private static func perform(_ job: Job, _ files: DeathFiles) -> Answer {
        switch job {
        case .append(let death, let lines, let component, _):
            let log = JSONValue.array(lines.map { .string($0.written) })
            files.append(death + [.init("log", log)], of: component)
            return .appended
        case .read(let component): return .deaths(files.read(component))
        case .latest(let count): return .latest(files.latest(count))
        }
    }
}
