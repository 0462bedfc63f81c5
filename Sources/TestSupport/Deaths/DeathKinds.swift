internal import Control
internal import Glibc

extension DeathKind {
    /// Those that this user and this machine can bring about.
    public static var possible: [DeathKind] { all.filter { !$0.needsRoot || canForceOthers } }

    public static let all: [DeathKind] =
        byItself + byCode + byCommand + byLimit + bySignal + byForce + byMemory + byProgram + bySpawn

    static var canForceOthers: Bool {
        #if arch(x86_64)
            geteuid() == 0
        #else
            false
        #endif
    }

    private static let byItself: [DeathKind] = [
        DeathKind("closes", "closed-itself", "proved", "closed itself", .running { $0.call("close") }),
        DeathKind(
            "closes-and-spins", "close-timeout", "proved", "was closing itself and did not end; it took SIGTERM",
            .running { $0.call("closeAndSpin") }, policy: #""stopGrace": "200ms""#),
        DeathKind(
            "throws", "uncaught-error", "told", "uncaught error: Error: later (", .running { $0.call("throwLater") }),
        DeathKind(
            "rejects", "unhandled-rejection", "told", "unhandled rejection: Error: refused (",
            .running { $0.call("rejectLater") }),
        DeathKind(
            "throws-at-once", "uncaught-error", "told", "uncaught error: Error: at once (", .starting,
            code: .text("throw new Error('at once');")),
        DeathKind(
            "rejects-at-once", "unhandled-rejection", "told", "unhandled rejection: Error: nobody cares (", .starting,
            code: .text("Promise.reject(new Error('nobody cares')); await new Promise(() => {});")),
    ]

    private static let byCode: [DeathKind] = [
        DeathKind(
            "syntax", "syntax-error", "told", "syntax error: syntax.death/e.mjs:1: ", .starting, code: .text("let let;")
        ),
        DeathKind(
            "import", "syntax-error", "told", "components are not ES modules", .starting,
            code: .text("import x from './x.js';")),
        DeathKind("missing", "code-missing", "proved", "no file /e.mjs", .starting, code: .missing),
        DeathKind("empty", "code-empty", "proved", "/e.mjs is empty", .starting, code: .text("")),
        DeathKind("latin1", "code-not-utf8", "proved", "is not UTF-8", .starting, code: .bytes([0x2F, 0x2F, 0xE4])),
        DeathKind("large", "code-too-large", "proved", "over the limit of", .starting, code: .tooLarge),
        DeathKind("folder", "code-unreadable", "proved", "/e.mjs cannot be read", .starting, code: .folder),
    ]

    private static let byCommand: [DeathKind] = [
        DeathKind(
            "stopped", "stopped", "proved", "stopped by the user (process ", .running { try $0.ask(.stop(id: $0.id)) }),
        DeathKind(
            "stopped-spinning", "stopped", "proved", "; it took SIGTERM",
            .running { try $0.ask(.stop(id: $0.id)) }, code: .text("setTimeout(() => { for (;;); }, 0);"),
            policy: #""stopGrace": "200ms""#),
        DeathKind(
            "stopped-frozen", "stopped", "proved", "; it took SIGKILL",
            .running { life in
                Glibc.kill(life.pid, SIGSTOP)
                try life.ask(.stop(id: life.id))
            }, policy: #""stopGrace": "100ms""#),
        DeathKind(
            "stopped-starting", "stopped", "proved", "stopped by the user",
            .whileStarting { try $0.ask(.stop(id: $0.id)) }, code: .text("for (;;);"), policy: #""stopGrace": "100ms""#),
        DeathKind(
            "restarted", "restarted", "proved", "closed to be restarted by the user",
            .running { try $0.ask(.restart(id: $0.id)) }),
        DeathKind(
            "killed", "killed", "proved", "killed with SIGKILL by the user",
            .running { try $0.ask(.kill(id: $0.id, signal: .kill)) }),
        DeathKind(
            "terminated", "killed", "proved", "killed with SIGTERM by the user",
            .running { try $0.ask(.kill(id: $0.id, signal: KillSignal.parse("TERM").get())) }),
        DeathKind(
            "killed-starting", "killed", "proved", ", while starting (",
            .whileStarting { try $0.ask(.kill(id: $0.id, signal: .kill)) }, code: .text("for (;;);")),
        DeathKind(
            "closed-by-core", "closed-by-core", "proved", "closed by the core",
            .running { _ = try $0.rig.askCore("ui_closeAppActivity", $0.connector) }),
    ]

    private static let shortHeartbeat =
        #""heartbeat": {"interval": "100ms", "soft": "300ms", "hard": "1s"}"#

    private static let byLimit: [DeathKind] = [
        DeathKind(
            "spins-at-once", "start-timeout", "proved", "not ready 1 s after its process was started", .starting,
            code: .text("for (;;);"), policy: #""startTimeout": "1s""#),
        DeathKind(
            "spins", "tight-loop", nil, "a tight loop: ", .running { $0.call("spin") }, policy: shortHeartbeat),
        DeathKind(
            "frozen", "stalled-loop", "proved", "its process is stopped",
            .running { life in
                Glibc.kill(life.pid, SIGSTOP)
                life.call("nothing")
            }, policy: shortHeartbeat),
        DeathKind(
            "microtasks", "stalled-loop", "proved", "a stalled loop: gave no turn",
            .running { $0.call("microtasks") }, policy: shortHeartbeat),
    ]

    /// From this process, so that the sender is known.
    private static let bySignal: [DeathKind] =
        [
            SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGUSR2, SIGALRM, SIGTERM,
            SIGSTKFLT, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS, 34, 64,
        ].map { signal in
            DeathKind(
                "signal-\(signal)", "signalled", "told", "from process \(getpid()) (uid \(getuid()), ",
                .running { Glibc.kill($0.pid, signal) })
        } + [
            DeathKind(
                "signal-9", "signalled", "likely", "ended by SIGKILL from outside",
                .running { Glibc.kill($0.pid, SIGKILL) })
        ]

    private static let byForce: [DeathKind] =
        [0, 1, 77].map { code in
            DeathKind(
                "exits-\(code)", "exited", "proved", "exited with \(code)",
                .running { try $0.makeCall(exitGroup, code) }, needsRoot: true)
        } + [
            DeathKind(
                "crashes", "crashed", "told", "crashed: SIGSEGV at address 0x0",
                .running { try $0.rig.makeFault($0.pid) }, needsRoot: true),
            DeathKind(
                "aborts", "aborted", "told", "ended by sending SIGABRT",
                .running { try $0.makeCall(tgkill, Int($0.pid), Int($0.pid), Int(SIGABRT)) }, needsRoot: true),
            DeathKind(
                "forbidden", "sandbox-denial", "told", "forbids: socket (system call 41 of x86_64)",
                .running { try $0.makeCall(41, 2, 1, 0) }, needsRoot: true),
            DeathKind(
                "orphan", "parent-gone", "told", "took the supervisor for gone",
                .running { try $0.makeCall(shutdownCall, 4, 2) }, needsRoot: true),
        ]

    // Of x86_64.
    private static let exitGroup = 231
    private static let tgkill = 234
    private static let shutdownCall = 48

    private static let byMemory: [DeathKind] = [
        DeathKind(
            "hungry", "out-of-memory", "proved", "for want of memory: its control group's was used up",
            .running { life in
                let group = try MemoryGroup("\(getpid())-\(life.pid)", bytes: 48 << 20)
                try group.take(life.pid)
                life.call("hog")
            }, needsRoot: true)
    ].filter { _ in MemoryGroup.isPossible }

    /// Other programs in the real one's place.
    private static let byProgram: [DeathKind] = [
        DeathKind(
            "exits-early", "exited", "proved", "exited with 7, while starting (spawned)", .starting, script: "exit 7"),
        DeathKind(
            "killed-early", "signalled", "likely", "ended by SIGKILL from outside", .starting, script: "kill -9 $$"),
        DeathKind(
            "terminated-early", "signalled", "likely", "ended by SIGTERM, while starting (spawned)", .starting,
            script: "kill -TERM $$"),
        DeathKind(
            "silent", "start-timeout", "proved", "while starting (spawned); it took SIGTERM", .starting,
            policy: #""startTimeout": "300ms""#, script: "exec sleep 60"),
        DeathKind(
            "garbage-data", "protocol-violation", "proved", "broke the protocol: frame header with check", .starting,
            script: "echo garbage-garbage-garbage >&3; exec sleep 60"),
        DeathKind(
            "garbage-control", "protocol-violation", "proved", "broke the protocol: control pipe: ", .starting,
            script: "echo garbage-garbage-garbage >&4; exec sleep 60"),
        DeathKind(
            "reports-nothing", "uncaught-error", "told", "(exit code 20, without a report)", .starting,
            script: "exit 20"),
        DeathKind("no-engine", "engine-missing", "told", "(exit code 26", .starting, script: "exit 26"),
        DeathKind("no-sandbox", "sandbox-setup", "told", "(exit code 24", .starting, script: "exit 24"),
    ]

    private static let bySpawn: [DeathKind] = [
        DeathKind("no-program", "spawn-failed", "proved", "(errno \(ENOENT))", .starting, script: DeathRig.noProgram),
        DeathKind("no-right", "spawn-failed", "proved", "(errno \(EACCES))", .starting, script: DeathRig.noRight),
        DeathKind("no-format", "spawn-failed", "proved", "(errno \(ENOEXEC))", .starting, script: DeathRig.noFormat),
        DeathKind("program-loop", "spawn-failed", "proved", "(errno \(ELOOP))", .starting, script: DeathRig.loop),
    ]
}
