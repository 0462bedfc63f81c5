internal import CConfine
internal import CSystem
internal import Glibc
public import Wire

/// What this kernel does not have, or does not let this process have. Asking changes nothing.
public enum SandboxSurvey {
    public static func missing() -> [SandboxReport.Missing] {
        let version = chf_landlock_version()
        var missing = Landlock.missing(version, errno)
        if !hasExecutableGainDenial { missing.append(noExecutableGainDenial(errno)) }
        if !hasSystemCallFilter { missing.append(noSystemCallFilter(errno)) }
        return missing
    }

    static var hasExecutableGainDenial: Bool { chf_can_deny_executable_gain() == 0 }

    static func noExecutableGainDenial(_ code: Int32) -> SandboxReport.Missing {
        .init(.noExecutableGain, "the kernel has no PR_SET_MDWE (\(name(code))); Linux 6.3 has it")
    }

    static var hasSystemCallFilter: Bool { chf_can_filter_system_calls() == 0 }

    static func noSystemCallFilter(_ code: Int32) -> SandboxReport.Missing {
        .init(.systemCalls, "the kernel takes no seccomp filters (\(name(code)))")
    }

    static func name(_ code: Int32) -> String {
        chs_errno_name(code).map { String(cString: $0) } ?? "errno \(code)"
    }
}

/// The walls that a version of Landlock gives.
enum Landlock {
    static func missing(_ version: Int32, _ code: Int32) -> [SandboxReport.Missing] {
        guard version > 0 else {
            let reason = "the kernel gives no Landlock (\(SandboxSurvey.name(code)))"
            return [.init(.files, reason), .init(.network, reason), .init(.scopes, reason)]
        }
        var missing: [SandboxReport.Missing] = []
        let has = "the kernel has version \(version) of Landlock"
        if version < 4 { missing.append(.init(.network, "\(has), and 4 is needed (Linux 6.7)")) }
        if version < 7 { missing.append(.init(.scopes, "\(has), and 7 is needed (Linux 6.15)")) }
        return missing
    }
}
