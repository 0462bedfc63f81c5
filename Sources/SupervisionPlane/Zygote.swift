internal import CSystem
internal import EventLoop
internal import Glibc
internal import Supervision

/// The process that components are forked from: it has their program and its libraries loaded, which is more than half of
/// what a start takes, and what it has relocated they share. They are children of this process as if it had made them itself.
///
/// Without one all is as with it, only slower: when it is missing, not ready, or the program on the disk is another one by
/// now, the caller spawns by itself. One that has ended is replaced at the next start of a component.
///
/// Made and used on the supervision plane's thread, as `ChildProcess`.
final class Zygote {
    enum News {
        case ready(pid_t)
        /// By itself, or because it did not answer; `SIGKILL`, `exit code 0`.
        case ended(String)
    }

    /// Milliseconds. Forking takes a fraction of one; a zygote that was stopped answers nothing.
    private static let patience: Int32 = 500
    private static let readyWithin = Duration.seconds(10)
    private static let leastLife = Duration.seconds(1)
    /// As long as the arguments of a component: three numbers.
    private static let room = String(repeating: "-", count: 20)
    /// More than what the engine may be told by a policy.
    private static let variablesRoom = String(repeating: "-", count: 512)

    private let program: String
    private let null: Int32
    private let loop: Loop
    private let isComponent: (pid_t) -> Bool
    private let tell: (News) -> Void
    private var process: (pid: pid_t, socket: Int32, answers: Readiness, image: ProgramImage)?
    private var isReady = false
    /// One that exits without having been ready says that there can be none.
    private var isHopeless = false
    private var startedAt = Instant.sinceBoot

    /// - Parameters:
    ///   - null: descriptor of `/dev/null`; stays the caller's.
    ///   - isComponent: whether it is the process of a component that is known.
    ///   - news: called from the loop, and from `spawn`.
    init(
        program: String, null: Int32, on loop: Loop, isComponent: @escaping (pid_t) -> Bool,
        news: @escaping (News) -> Void
    ) {
        self.program = program
        self.null = null
        self.loop = loop
        self.isComponent = isComponent
        tell = news
        start()
    }

    /// Nil while there is none.
    var pid: pid_t? { process?.pid }

    /// What keeps it from starting will be told of the component that is started without it.
    private func start() {
        startedAt = .sinceBoot
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard let image = ProgramImage(program), socketpair(AF_UNIX, type, 0, &ends) == 0 else { return }
        defer { Glibc.close(ends[1]) }
        var pid: pid_t = 0
        let code = CStrings.with([program, "zygote", "\(getpid())", Self.room]) { words in
            CStrings.with(ChildProcess.environment(["ROOM=" + Self.variablesRoom])) { variables in
                chs_spawn(program, words, variables, [null, null, null, ends[1]], 4, &pid)
            }
        }
        guard code == 0 else {
            Glibc.close(ends[0])
            return
        }
        do {
            let answers = try Readiness(ofReading: ends[0], on: loop) { [unowned self] in spoke() }
            process = (pid, ends[0], answers, image)
        } catch {
            Glibc.close(ends[0])
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
    }

    /// Unasked it says only that it is ready, or ends.
    private func spoke() {
        guard let process else { return }
        var (code, pid): (Int32, pid_t) = (0, 0)
        switch chs_zygote_answer(process.socket, 0, &code, &pid) {
        case 0: break
        case 1:
            isReady = true
            tell(.ready(process.pid))
        default: lose()
        }
    }

    /// Waits for the answer, which takes about as long as a spawn. Nil: the caller is to spawn by itself.
    func spawn(_ words: [String], _ variables: [String], _ descriptors: [Int32]) -> pid_t? {
        guard let process else {
            if !isHopeless, Instant.sinceBoot - startedAt >= Self.leastLife { start() }
            return nil
        }
        guard ProgramImage(program) == process.image, isReady || Instant.sinceBoot - startedAt < Self.readyWithin
        else {
            end()
            start()
            return nil
        }
        guard isReady else { return nil }
        let asked = CStrings.with(words) { words in
            CStrings.with(variables) { variables in
                chs_zygote_ask(process.socket, words, variables, descriptors, Int32(descriptors.count))
            }
        }
        var (code, pid): (Int32, pid_t) = (0, 0)
        guard asked == 0, chs_zygote_answer(process.socket, Self.patience, &code, &pid) == 1 else {
            lose()
            return nil
        }
        guard code == 0 else {
            // Its limits may be other ones than ours by now; one of ours is met again, with its own cause.
            if pid > 0 { waitpid(pid, nil, 0) }
            end()
            return nil
        }
        return pid
    }

    private func lose() {
        let wasReady = isReady
        guard let status = end() else { return }
        let exitCode = status & 0x7f == 0 ? status >> 8 & 0xff : nil
        isHopeless = !wasReady && exitCode != nil
        tell(.ended(exitCode.map { "exit code \($0)" } ?? signalName(status & 0x7f)))
    }

    /// Ends it and what it may have made without having said so. Returns its wait status.
    @discardableResult
    private func end() -> Int32? {
        guard let (pid, socket, answers, _) = process else { return nil }
        process = nil
        isReady = false
        answers.close()
        Glibc.close(socket)
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        for child in KernelView.children() ?? [] where isForked(child) {
            kill(child.pid, SIGKILL)
            waitpid(child.pid, nil, 0)
        }
        return status
    }

    private func isForked(_ child: ChildFact) -> Bool {
        child.name == program.split(separator: "/").last.map { String($0.prefix(15)) } && !isComponent(child.pid)
    }

    func close() { end() }
}

/// Which files a new process would be made of: a program that is another one, was changed, or may not be run, and libraries that were
/// installed since, are not what the zygote has.
private struct ProgramImage: Equatable {
    private struct File: Equatable {
        let device: UInt
        let inode: UInt
        let size: Int
        let changed: Int
        let changedNanoseconds: Int

        init(_ status: stat) {
            (device, inode, size) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
            (changed, changedNanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    private let program: File
    /// The loader's list of libraries, written anew with each installation; nil where there is none.
    private let libraries: File?

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o111 != 0 else { return nil }
        program = File(status)
        libraries = stat("/etc/ld.so.cache", &status) == 0 ? File(status) : nil
    }
}
