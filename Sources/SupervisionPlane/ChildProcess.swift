internal import CSystem
internal import EventLoop
internal import Glibc
internal import Logging
internal import Supervision
internal import Wire

/// One component's process, as long as its exit was not seen: its control pipe, its stray output, its exit.
///
/// Made and used on the supervision plane's thread, which lives as long as the program: the parent-death signal belongs
/// to the spawning thread.
final class ChildProcess {
    /// What the process does, in order; `exited` is last, and comes after everything that it had written.
    enum News {
        case report(ComponentReport)
        /// A line of descriptor 1 or 2.
        case output(String)
        /// The control pipe broke the protocol.
        case violation(String)
        case exited(ExitStatus)
    }

    struct SpawnError: Error {
        let errno: Int32
        let call: String
    }

    let pid: Int32
    /// From the zygote; else its program was loaded anew.
    let isForked: Bool
    /// Before and after the spawn, on the clock that counts from the machine's start.
    let born: ClosedRange<Instant>
    private let pidfd: Int32
    private let control: Pipe
    private let output: Pipe
    private var exit: Readiness?
    private let decoder = ControlDecoder<ComponentReport>()
    private var lines = LineAssembler()
    /// The engine's note is not the component's output.
    private var awaitsNote = true
    private let outputBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 1)
    private let tell: (News) -> Void

    /// - Parameters:
    ///   - zygote: what it is forked from, if it can be.
    ///   - data: the child's end of the data pipe; stays the caller's.
    ///   - environment: variables beside those of every child.
    ///   - tell: called from the loop, never from here.
    init(
        program: String, zygote: Zygote?, generation: UInt64, nice: Int = 0, data: Int32, null: Int32,
        environment: [String] = [], on loop: Loop, tell: @escaping (News) -> Void
    ) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SpawnError(errno: errno, call: "socketpair")
        }
        defer { close(ends[1]) }
        var pipeEnds: [Int32] = [-1, -1]
        // What a child must not have is closed in the child: these need no close-on-exec.
        guard pipe(&pipeEnds) == 0 else {
            let code = errno
            close(ends[0])
            throw SpawnError(errno: code, call: "pipe")
        }
        defer { close(pipeEnds[1]) }
        let descriptors = [null, pipeEnds[1], pipeEnds[1], data, ends[1]]
        let before = Instant.sinceBoot
        let words = [program, "\(getpid())", "\(generation)", "\(nice)"]
        let spawned = Self.spawn(words, Self.environment(environment), descriptors, zygote)
        born = before...Instant.sinceBoot
        guard case .success(let process) = spawned else {
            close(ends[0])
            close(pipeEnds[0])
            throw spawned.failure ?? SpawnError(errno: ECHILD, call: "posix_spawn")
        }
        (pid, pidfd, isForked) = process
        self.tell = tell
        do {
            control = try Pipe(takingOwnershipOf: ends[0], on: loop)
        } catch {
            close(pipeEnds[0])
            throw Self.undo(process, error)
        }
        do {
            output = try Pipe(takingOwnershipOf: pipeEnds[0], on: loop)
        } catch {
            control.close()
            throw Self.undo(process, error)
        }
        do {
            try listen(on: loop)
        } catch {
            control.close()
            output.close()
            throw Self.undo(process, error)
        }
    }

    /// What every child has beside variables of its own.
    static func environment(_ variables: [String]) -> [String] {
        // Newer versions of libuv would ask for rings, which the sandbox refuses.
        let all = ["SWIFT_BACKTRACE=enable=no", "UV_USE_IO_URING=0"] + variables
        return TimeZoneName.current.map { all + ["TZ=\($0)"] } ?? all
    }

    private static func spawn(
        _ words: [String], _ variables: [String], _ descriptors: [Int32], _ zygote: Zygote?
    ) -> Result<(pid: Int32, pidfd: Int32, isForked: Bool), SpawnError> {
        var pid: pid_t = 0
        var isForked = false
        if let forked = zygote?.spawn(words, variables, descriptors) {
            (pid, isForked) = (forked, true)
        } else {
            let code = CStrings.with(words) { arguments in
                CStrings.with(variables) { environment in
                    chs_spawn(words[0], arguments, environment, descriptors, Int32(descriptors.count), &pid)
                }
            }
            guard code == 0 else { return .failure(SpawnError(errno: code, call: "posix_spawn")) }
        }
        let pidfd = chs_pidfd_open(pid)
        guard pidfd >= 0 else {
            // Not reaped yet, so the number is still its own.
            let code = errno
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            return .failure(SpawnError(errno: code, call: "pidfd_open"))
        }
        return .success((pid, pidfd, isForked))
    }

    /// A child that cannot be listened to is none.
    private static func undo(_ process: (pid: Int32, pidfd: Int32, isForked: Bool), _ error: any Error) -> SpawnError {
        chs_pidfd_send_signal(process.pidfd, SIGKILL)
        waitpid(process.pid, nil, 0)
        close(process.pidfd)
        return SpawnError(errno: (error as? UVError)?.errno ?? EINVAL, call: (error as? UVError)?.function ?? "listen")
    }

    private func listen(on loop: Loop) throws(UVError) {
        try control.read(
            into: { [unowned self] in decoder.nextBuffer() },
            received: { [unowned self] in received($0) },
            // The end of the control pipe says nothing that the exit will not.
            ended: { _ in })
        try output.read(
            into: { [unowned self] in outputBuffer },
            received: { [unowned self] in wrote($0) },
            ended: { _ in })
        exit = try Readiness(ofReading: pidfd, on: loop) { [unowned self] in hasExited() }
    }

    func send(_ order: ComponentOrder) {
        order.encoded().withUnsafeBytes { control.output.append($0) }
    }

    /// Answered by the report `evaluated` with the same number.
    func evaluate(_ text: String, within limit: Duration, number: UInt32) {
        send(.evaluate(number: number, milliseconds: limit.wholeMilliseconds, text))
    }

    /// By descriptor, so that no other process can ever get it.
    func signal(_ number: Int32) {
        // The only failure left is that it has exited already, which is on its way as news.
        _ = chs_pidfd_send_signal(pidfd, number)
    }

    private func received(_ count: Int) {
        decoder.received(count)
        do {
            while let report = try decoder.next() { tell(.report(report)) }
            control.readOnInNextTurn()
        } catch {
            control.pauseReading()
            tell(.violation("control pipe: \(error)"))
        }
    }

    private func wrote(_ count: Int) {
        for line in lines.append(UnsafeRawBufferPointer(rebasing: outputBuffer[..<count])) {
            if awaitsNote, line == EngineEnvironment.note { awaitsNote = false } else { tell(.output(line)) }
        }
        output.readOnInNextTurn()
    }

    private func hasExited() {
        var result = chs_exit()
        let reaped = chs_reap(pidfd, &result)
        guard reaped != 0 else { return }
        precondition(reaped == 1, "the exit of process \(pid) cannot be read: errno \(errno)")
        control.readWhatIsThere()
        output.readWhatIsThere()
        if let line = lines.finish() { tell(.output(line)) }
        exit?.close()
        control.close()
        output.close()
        close(pidfd)
        tell(.exited(result.exited ? .exited(result.value) : .signalled(result.value)))
    }

    deinit { outputBuffer.deallocate() }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
