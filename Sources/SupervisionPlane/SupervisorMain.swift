internal import CSystem
internal import Configuration
internal import Control
internal import EventLoop
internal import Glibc
internal import Logging
internal import Secrets

/// The supervisor as a program.
public enum SupervisorMain {
    /// Runs until it is told to end; gives the exit code.
    public static func run(_ options: RunOptions) -> Int32 {
        do {
            return try Self.supervise(options).rawValue
        } catch {
            let (text, code) = judge(error)
            complain("corehost: \(text)")
            return code.rawValue
        }
    }

    private static func judge(_ error: any Error) -> (String, ExitCode) {
        switch error {
        case let failure as DataFolder.Failure:
            if case .inUse = failure { return ("\(failure)", .dataFolderInUse) }
            return ("\(failure)", .dataFolderNotUsable)
        case let failure as ConfigurationError: return ("\(failure)", .badConfiguration)
        default: return ("\(error)", .bootFailed)
        }
    }

    private static func supervise(_ options: RunOptions) throws -> ExitCode {
        let hangUp = HangUp()
        let place = chs_leave_first_process()
        let link = ServiceManagerLink.take(isBelowFirst: place > 0)
        signal(SIGPIPE, SIG_IGN)
        chs_keep_freed_memory(64 << 20)
        CoreDumps.keepMemoryOut()
        raiseDescriptorLimit()
        let configuration = try options.configurationFile.map { path throws(ConfigurationError) in
            try Configuration(path: path, isNamedByUser: options.configurationIsRequired)
        }
        let places = try ProgramPlaces(resources: options.resourcesFolder, core: options.coreFolder)
        let apps = try AppsFolder.check(options.appsFolder ?? places.resources + "/apps")
        let folder = try DataFolder(options.dataFolder)
        defer { folder.release() }
        let sandbox = try ComponentSandbox(options)
        // Markers and compilers, by processors and eight of each at most, one that collects, one that interrupts.
        chs_keep_engine_threads(Int32(2 * min(8, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 2))
        let loop = try Loop()
        let log = LogStore(folder: folder.logs)
        let console = try ConsoleWriter()
        defer { console.close() }
        let supervisor = Supervisor(
            options: options, folder: folder, places: places, apps: apps,
            configuration: configuration ?? Configuration(), sandbox: sandbox, log: log,
            manager: link.map { ServiceManager($0, on: loop) }, loop: loop)
        let unsubscribe = log.subscribe(.supervisor) { line in
            guard line.level > .debug else { return }
            console.write(options.writesJSON ? JSONWriter.text(LogEntry(line).json) : line.shown, line.level)
        }
        defer { unsubscribe() }
        supervisor.manager?.failed = { [unowned supervisor] reason in supervisor.say(.warning, reason) }
        supervisor.tellStatus()
        supervisor.saySandbox()
        supervisor.sayWhatIsAllowed()
        if place < 0 {
            supervisor.say(.warning, "this is the container's first process: what others leave to it is not reaped")
        }
        let server = try ControlServer(loop: loop, path: options.socketPath, service: supervisor)
        supervisor.server = server
        var signals = try [SIGINT, SIGTERM].map { number in
            try Signal(number, on: loop) { supervisor.shutdown() }
        }
        signals.append(try Signal(SIGHUP, on: loop) { supervisor.hangUp(hangUp) })
        try supervisor.start()
        let code = supervisor.run()
        for signal in signals { signal.close() }
        server.close()
        supervisor.manager?.close()
        loop.runOnce(waiting: false)
        if !log.close() {
            console.write("corehost: the last log lines did not reach \(folder.logs) in time", .error)
        }
        if supervisor.coreIsAbandoned {
            console.close()
            folder.release()
            // Not `exit`: it would take the libraries away from under the core's thread.
            _exit(code.rawValue)
        }
        return code
    }

    /// Each component takes four descriptors here: as many as the system allows.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // What cannot be raised is what there is.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func complain(_ text: String) {
        let line = text + "\n"
        write(STDERR_FILENO, line, line.utf8.count)
    }
}

/// The folder of the user's apps.
enum AppsFolder {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func check(_ path: String) throws(Failure) -> String {
        guard let folder = opendir(path) else {
            let reason = String(cString: strerror(errno))
            throw Failure(
                description: "the apps folder \(path) cannot be read: \(reason); make it, or name another with --apps")
        }
        closedir(folder)
        return Installation.real(path)
    }
}
