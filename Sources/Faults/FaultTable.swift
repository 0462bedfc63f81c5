/// What each kind is for and what it takes: one table for the check, the help and docs/faults.md.
public enum FaultTable {
    public struct Row: Sendable {
        public let kind: FaultKind
        public let purpose: String
        public let parameters: [FaultParameter]

        init(_ kind: FaultKind, _ purpose: String, _ parameters: [FaultParameter] = []) {
            self.kind = kind
            self.purpose = purpose
            self.parameters = parameters
        }
    }

    public static let rows = FaultKind.allCases.map(row)

    static func row(_ kind: FaultKind) -> Row {
        switch kind {
        case .signal:
            Row(
                kind, "sends a signal to the component's process",
                [FaultParameter("signal", .signal, usual: "SIGKILL", "the signal")])
        case .pause: Row(kind, "stops the process (SIGSTOP); undone, it goes on (SIGCONT)")
        case .exit:
            Row(
                kind, "the process ends at once, in the middle of what it does",
                [FaultParameter("code", .number(0...255), usual: "1", "its exit code")])
        case .uncaughtError: Row(kind, "an error that nothing in the component takes", [message])
        case .unhandledRejection: Row(kind, "a rejected promise that nothing in the component takes", [message])
        case .tightLoop: Row(kind, "one call into JavaScript that does not return", [span])
        case .stalledLoop: Row(kind, "a native call that blocks the process's loop", [span])
        case .microtaskLoop: Row(kind, "a chain of microtasks: JavaScript returns, its loop never gets a turn", [span])
        case .memoryGrowth:
            Row(
                kind, "its JavaScript takes memory and keeps it; undone, it is given back",
                [
                    FaultParameter("size", .size(1 << 20...1 << 40), usual: "256MiB", "bytes in all"),
                    FaultParameter("rate", .size(64 << 10...1 << 30), usual: "64MiB", "bytes per second"),
                ])
        case .descriptorExhaustion:
            Row(
                kind, "its process opens descriptors until the kernel refuses; undone, they are closed",
                [FaultParameter("leave", .number(0...1000), usual: "0", "how many it could still open")])
        case .slowStart:
            Row(
                kind, "its next start takes longer: the process waits before it loads anything",
                [FaultParameter("delay", .duration(.milliseconds(1)...(.seconds(600))), usual: "5s", "how long")])
        case .startCrash:
            Row(
                kind, "its process is killed in its next start",
                [
                    FaultParameter(
                        "phase", .word(["spawned", "hello", "preloaded"]), usual: "hello", "how far the start comes")
                ])
        case .spawnRefused:
            Row(
                kind, "the system refuses its next process",
                [FaultParameter("errno", .errno, usual: "EAGAIN", "why")])
        case .portDelay:
            Row(
                kind, "its messages arrive later, in their order",
                [
                    direction,
                    FaultParameter("delay", .duration(.milliseconds(1)...(.seconds(60))), usual: "100ms", "how much"),
                    FaultParameter(
                        "jitter", .duration(.zero...(.seconds(60))), usual: "0ms", "up to how much more, drawn for each"
                    ),
                ])
        case .portBandwidth:
            Row(
                kind, "its messages trickle",
                [
                    direction,
                    FaultParameter("rate", .size(100...1 << 30), usual: "64KiB", "bytes per second"),
                ])
        case .portCut:
            Row(
                kind, "the next frame breaks off, and with it that direction; whoever receives must drop it",
                [direction, FaultParameter("at", .number(0...1 << 20), usual: "7", "bytes that are left of it")])
        case .portCorrupt:
            Row(kind, "one bit in the next frame's header is another one; whoever receives must notice", [direction])
        case .portRepeat: Row(kind, "the next frame comes twice; whoever receives must notice", [direction])
        case .portSwap: Row(kind, "the next two frames change places; whoever receives must notice", [direction])
        case .portClose: Row(kind, "one direction is closed; this is not undone, the life ends of it", [direction])
        case .portStopReading:
            Row(kind, "the core's side does not read what it sends; undone, it does")
        case .coreBusy:
            Row(
                kind, "the core's JavaScript computes and gives no turn",
                [
                    FaultParameter(
                        "for", .duration(.milliseconds(1)...(.seconds(300))), usual: "1s",
                        "how long, unless it is undone before")
                ])
        case .coreException:
            Row(
                kind, "calls of the platform into the core throw",
                [
                    FaultParameter("call", .word(calls), usual: "callService", "which"),
                    FaultParameter("times", .number(1...1000), usual: "1", "how many of them"),
                ])
        case .diskFull: Row(kind, "writes fail as on a full disk (ENOSPC)", [place])
        case .diskSlow:
            Row(
                kind, "each write takes longer",
                [
                    place,
                    FaultParameter("delay", .duration(.milliseconds(1)...(.seconds(10))), usual: "200ms", "how much"),
                ])
        case .clockStep:
            Row(
                kind, "the wall clock of the platform, components too, jumps; undone, it jumps back",
                [
                    FaultParameter(
                        "by", .duration(.seconds(-366 * 86_400)...(.seconds(366 * 86_400))), usual: "24h",
                        "how far; -1h: back")
                ])
        case .networkGone:
            Row(
                kind, "there is no network: requests and WebSockets find no way, open WebSockets end, watchers are told"
            )
        case .httpError:
            Row(
                kind, "requests get a status without a body, and nothing leaves",
                [FaultParameter("status", .number(400...599), usual: "503", "the status")])
        case .httpDelay:
            Row(
                kind, "requests leave later",
                [FaultParameter("delay", .duration(.milliseconds(1)...(.seconds(600))), usual: "5s", "how much")])
        }
    }

    /// Calls into the core that the platform lives through.
    private static let calls = [
        "callService", "launchComponent", "attachComponentPortToConnector", "getFileSizeInAppCodeFS",
        "readBytesFromFileInAppCodeFS", "listObjPathInConnector", "countOpenCalls",
    ]
    private static let direction = FaultParameter(
        "direction", .word(PortDirection.allCases.map(\.rawValue)), usual: "to-core", "of which direction")
    private static let place = FaultParameter(
        "place", .word(DiskPlace.allCases.map(\.rawValue)), usual: "data",
        "whose: log files and deaths, or what the core stores")

    private static let message = FaultParameter("message", .text(most: 200), usual: "injected fault", "its message")
    private static let span = FaultParameter(
        "for", .duration(.milliseconds(1)...(.seconds(3600))), usual: "1m", "how long, unless it is undone before")
}
