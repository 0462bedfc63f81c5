internal import Confinement
internal import EventLoop
internal import JSEngine
internal import Wire

/// The control pipe as the component's process sees it: orders in, reports out.
///
/// Each report is handed to the kernel at once, so that the last line before a death is kept. A supervisor that does not
/// read costs at most `queueLimit` bytes: log lines over that are dropped, counted, and the count is reported once
/// everything before it has left.
final class ControlLink {
    /// Why no more orders come.
    enum End {
        case endOfFile
        case violation(String)
        case failed(UVError)
    }

    static let queueLimit = 4 << 20

    private let pipe: Pipe
    private let decoder = ControlDecoder<ComponentOrder>()
    private var linesLost = 0

    /// Takes ownership of `descriptor`.
    init(
        takingOwnershipOf descriptor: Int32, on loop: Loop, onOrder: @escaping (ComponentOrder) -> Void,
        onEnd: @escaping (End) -> Void
    ) throws(UVError) {
        pipe = try Pipe(takingOwnershipOf: descriptor, on: loop)
        let decoder = decoder
        try pipe.read(
            into: { decoder.nextBuffer() },
            received: { count in
                do {
                    try decoder.consume(count, onMessage: onOrder)
                } catch {
                    onEnd(.violation("\(error)"))
                }
            },
            ended: { end in
                switch end {
                case .endOfFile: onEnd(.endOfFile)
                case .failed(let error): onEnd(.failed(error))
                }
            })
        pipe.output.drained = { [unowned self] in
            Confinement.setReportChannel(busy: false)
            reportLoss()
        }
    }

    /// The kernel takes a report whole or, when it has no room, in part: only then would what a fatal signal has to say come in
    /// the middle of one.
    func send(_ report: ComponentReport) {
        report.encoded().withUnsafeBytes { pipe.output.append($0) }
        pipe.output.flush()
        if pipe.output.queuedBytes > 0 { Confinement.setReportChannel(busy: true) }
    }

    func log(_ level: ReportedLevel, _ line: String, place: String? = nil) {
        // One line says how many were lost, and where: nothing is taken until it has been said.
        guard linesLost == 0, pipe.output.queuedBytes < Self.queueLimit else {
            linesLost += 1
            return
        }
        send(.log(level, line, place: place))
    }

    private func reportLoss() {
        guard linesLost > 0 else { return }
        let count = linesLost
        linesLost = 0
        send(.log(.warn, "\(count) log lines lost: the supervisor did not read them in time"))
    }

    /// Sends what is queued, and last `report`, waiting for a slow reader at most `milliseconds`. The process ends then.
    func sendLast(_ report: ComponentReport?, milliseconds: Int) {
        pipe.output.drained = nil
        reportLoss()
        if let report { send(report) }
        // A supervisor that takes nothing sees the exit code all the same.
        _ = pipe.output.flushBeforeExit(milliseconds: milliseconds)
    }
}

extension ReportedLevel {
    init(_ level: ConsoleLevel) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .log: .log
            case .warn: .warn
            case .error: .error
            }
    }
}
