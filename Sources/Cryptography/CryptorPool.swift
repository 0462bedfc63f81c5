public import EventLoop
internal import Glibc

/// A few threads for computations alone, so that neither the loop waits for them nor the workers that read and write
/// files. Lives on its loop's thread, and starts a thread when there is work for it.
public final class CryptorPool {
    /// What may wait for a thread.
    public static let mostWaiting = 1024
    /// Lower than the rest of the process: computing may take long, answers may not.
    static let niceness: Int32 = 5

    /// The processors that this process may use.
    public static var defaultThreads: Int { max(1, min(8, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    public let limit: Int
    private let loop: Loop
    private let jobs = PoolJobs()
    private let reports = Mailbox<PoolReport>()
    private var threads: [Thread] = []
    private var pending: [Int: Pending] = [:]
    private var lastNumber = 0
    private var isOpen = false
    private var isClosed = false

    private struct Pending {
        let progress: ((Int) -> Void)?
        let done: (Result<any Sendable, CryptorError>) -> Void
    }

    public init(on loop: Loop, threads: Int = CryptorPool.defaultThreads) {
        Sodium.prepare()
        SealedPieces.prepare()
        self.loop = loop
        limit = max(1, threads)
    }

    deinit { close() }

    /// Computations that are not done.
    public var count: Int { pending.count }

    /// Runs what takes no more than some 100 ms; it goes before anything long, even before one that has begun.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CryptorError) -> Value,
        done: @escaping (Result<Value, CryptorError>) -> Void
    ) throws(CryptorError) {
        try add(isLong: false, progress: nil, { _ throws(CryptorError) in try body() }, done)
    }

    /// Runs what may take long, and calls `pause` often with the part that is done.
    ///
    /// - Parameter progress: gets each new whole percentage, on the loop.
    public func runLong<Value: Sendable>(
        _ body: @escaping @Sendable (_ pause: (Double) throws(CryptorError) -> Void) throws(CryptorError) -> Value,
        progress: ((Int) -> Void)?, done: @escaping (Result<Value, CryptorError>) -> Void
    ) throws(CryptorError) {
        try add(isLong: true, progress: progress, body, done)
    }

    /// Ends what is under way at its next pause and gives up the rest: nothing is answered any more.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        jobs.close(wake: threads.count)
        for thread in threads { thread.join() }
        threads = []
        pending = [:]
        if isOpen { reports.close() }
    }

    private func add<Value: Sendable>(
        isLong: Bool, progress: ((Int) -> Void)?,
        _ body: @escaping @Sendable (_ pause: (Double) throws(CryptorError) -> Void) throws(CryptorError) -> Value,
        _ done: @escaping (Result<Value, CryptorError>) -> Void
    ) throws(CryptorError) {
        loop.requireCurrent()
        guard !isClosed else { throw .stopped }
        guard jobs.count < Self.mostWaiting else { throw .busy(waiting: jobs.count) }
        try open()
        lastNumber += 1
        let number = lastNumber
        let wantsProgress = progress != nil
        let job = PoolJob(isLong: isLong) { [jobs, reports] in
            var told = -1
            let result = Result { () throws(CryptorError) -> any Sendable in
                try body { (part: Double) throws(CryptorError) in
                    try jobs.pause()
                    let percent = Int(part * 100)
                    guard wantsProgress, percent > told else { return }
                    told = percent
                    reports.send(PoolReport(number: number, content: .progress(percent)))
                }
            }
            reports.send(PoolReport(number: number, content: .done(result)))
        }
        pending[number] = Pending(progress: progress) { result in
            done(
                result.map { value in
                    guard let value = value as? Value else { preconditionFailure("job \(number) gave \(value)") }
                    return value
                })
        }
        jobs.add(job)
    }

    /// Opens the mailbox and sees to it that a thread is there for one job more.
    private func open() throws(CryptorError) {
        do throws(UVError) {
            if !isOpen {
                try reports.open(on: loop) { [weak self] in self?.take($0) }
                isOpen = true
            }
            guard threads.count < limit, threads.count <= pending.count else { return }
            let jobs = jobs
            threads.append(try Thread(stackBytes: 512 << 10) { jobs.work(named: "cryptor", niceness: Self.niceness) })
        } catch {
            // What threads there are will get to it.
            if threads.isEmpty { throw .noThread(reason: "\(error)") }
        }
    }

    private func take(_ report: PoolReport) {
        switch report.content {
        case .progress(let percent): pending[report.number]?.progress?(percent)
        case .done(let result): pending.removeValue(forKey: report.number)?.done(result)
        }
    }
}

private struct PoolReport: Sendable {
    enum Content: Sendable {
        case progress(Int)
        case done(Result<any Sendable, CryptorError>)
    }

    let number: Int
    let content: Content
}
