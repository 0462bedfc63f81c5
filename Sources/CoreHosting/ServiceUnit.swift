/// The unit by which systemd runs the platform. `deploy/` has its text for the usual places; `docs/deploying.md` explains it.
struct ServiceUnit {
    enum Owner {
        /// The user's own manager: a unit in the user's configuration.
        case managerOfUser
        /// The system's manager: one unit for all, whose instance is the name of the user.
        case system
    }

    let owner: Owner
    /// As in `ExecStart`.
    let command: String

    /// What the platform is in `deploy/`.
    static func usual(_ owner: Owner) -> ServiceUnit {
        let places =
            switch owner {
            case .managerOfUser: ""
            case .system: " --data %S/corehost/%i --socket %t/corehost/%i/control.sock"
            }
        return ServiceUnit(owner: owner, command: "/usr/local/bin/corehost run\(places)")
    }

    var text: String {
        let of = owner == .system ? " of %i" : ""
        return """
            [Unit]
            Description=corehost\(of), apps of JavaScript components
            StartLimitIntervalSec=60
            StartLimitBurst=5

            [Service]
            Type=notify
            ExecStart=\(command)
            ExecReload=/bin/kill -HUP $MAINPID
            # It ends its components itself, one by one; what is left after that is killed.
            KillMode=mixed
            # A component that was killed for its memory is no end of the others.
            OOMPolicy=continue
            # Longer than twice the time after which it ends by itself when its core has stalled (exit code 14).
            WatchdogSec=150
            Restart=on-failure
            RestartSec=1
            # Usage, data folder in use, configuration or core refused: the next start would end in the same way.
            RestartPreventExitStatus=2 10 12 15
            UMask=0077
            \(walls.joined(separator: "\n"))

            [Install]
            WantedBy=\(owner == .system ? "multi-user" : "default").target

            """
    }

    /// Not among them: `MemoryDenyWriteExecute`, as the engine compiles at run time.
    private var walls: [String] {
        let common = [
            "NoNewPrivileges=yes", "LockPersonality=yes", "RestrictRealtime=yes", "RestrictSUIDSGID=yes",
            "SystemCallArchitectures=native",
        ]
        guard owner == .system else { return common }
        return common + [
            "User=%i", "StateDirectory=corehost/%i", "StateDirectoryMode=0700", "RuntimeDirectory=corehost/%i",
            "RuntimeDirectoryMode=0700", "CapabilityBoundingSet=", "ProtectSystem=strict", "ProtectHome=read-only",
            "PrivateTmp=yes", "PrivateDevices=yes", "ProtectClock=yes", "ProtectControlGroups=yes",
            "ProtectHostname=yes", "ProtectKernelLogs=yes", "ProtectKernelModules=yes", "ProtectKernelTunables=yes",
            "RestrictNamespaces=yes", "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
            "SystemCallFilter=~@clock @cpu-emulation @debug @module @mount @obsolete @raw-io @reboot @swap",
        ]
    }
}
