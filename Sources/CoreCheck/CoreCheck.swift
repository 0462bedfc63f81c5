internal import CoreHosting
internal import EventLoop
internal import Glibc
internal import Supervision
internal import Synchronization

/// `corehost core check`: loads a pair of bundles, looks for every name of the contract, and uses them as the platform
/// does.
///
/// The bundles are evaluated on a thread of their own, which a bundle may never give back. This one watches, prints,
/// takes Ctrl-C, and removes the scratch folder.
public enum CoreCheck {
    /// The check itself cannot be made.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        case scratch(String)
        case loop(String)

        public var description: String {
            switch self {
            case .scratch(let what): "no scratch folder: \(what)"
            case .loop(let what): "the check cannot begin: \(what)"
            }
        }
    }

    public struct Outcome: Sendable, Equatable {
        public var isValid = true
        /// The signal that ended it.
        public var signal: Int32?
        /// The bundles still hold their thread: the process can only end by `_exit`.
        public var isThreadHeld = false
        /// A path that could not be removed.
        public var leftBehind: String?
    }

    /// Longer than a step may take, before its thread counts as held.
    static let patience = Duration.seconds(5)

    /// - Parameters:
    ///   - folder: of the pair.
    ///   - resources: those of the platform.
    ///   - stepLimit: how long one step, or one call, may take.
    public static func run(
        _ folder: String, resources: String, stepLimit: Duration, found: @escaping (CheckFinding) -> Void
    ) throws -> Outcome {
        let scratch = try ScratchFolder()
        var outcome = Outcome()
        defer { scratch.remove() }
        let loop = try Loop()
        let progress = Mailbox<CheckProgress>()
        let ended = CheckEnd()
        let watchdog = Timer(on: loop)
        var underWay = "start"
        func report(_ finding: CheckFinding) {
            if finding.isFault { outcome.isValid = false }
            found(finding)
        }
        func watch() {
            watchdog.start(after: stepLimit + patience) {
                report(
                    .step(
                        CheckedStep(
                            name: underWay, status: .failed, milliseconds: nil,
                            note: "no end after \((stepLimit + patience).text): the bundles give their thread no turn"
                        )))
                outcome.isThreadHeld = true
                loop.stop()
            }
        }
        try progress.open(on: loop) { news in
            guard !outcome.isThreadHeld, outcome.signal == nil else { return }
            switch news {
            case .begins(let what):
                underWay = what
                watch()
            case .found(let finding): report(finding)
            case .finished: loop.stop()
            }
        }
        let signals = try [SIGINT, SIGTERM, SIGHUP].map { number in
            try Signal(number, on: loop) {
                outcome.signal = number
                loop.stop()
            }
        }
        watch()
        let places = CorePlaces(
            resources: resources, bundles: folder, apps: "\(scratch.path)/apps", files: "\(scratch.path)/fs",
            keys: "\(scratch.path)/keys")
        let thread = try Thread {
            CheckRun.perform(places: places, stepLimit: stepLimit, ended: ended) { progress.send($0) }
            progress.send(.finished)
        }
        loop.run()
        ended.mark()
        outcome.isThreadHeld = !thread.join(within: .seconds(2))
        if outcome.signal == nil, outcome.isThreadHeld { outcome.isValid = false }
        progress.close()
        watchdog.close()
        for signal in signals { signal.close() }
        loop.runOnce(waiting: false)
        outcome.leftBehind = scratch.remove()
        return outcome
    }
}

/// From the thread of the bundles to the one that watches.
enum CheckProgress: Sendable {
    case begins(String)
    case found(CheckFinding)
    case finished
}

/// Set when nobody waits for the check any more.
final class CheckEnd: Sendable {
    private let isMarked = Atomic(false)
    /// Wakes the thread of the bundles from its waiting.
    private let wake = Mailbox<Void>()

    func mark() {
        isMarked.store(true, ordering: .relaxed)
        wake.send(())
    }

    func wake(_ loop: Loop) throws(UVError) { try wake.open(on: loop) { _ in } }

    /// On the loop's thread.
    func close() { wake.close() }

    var isHere: Bool { isMarked.load(ordering: .relaxed) }
}
