internal import CConfine
internal import CSystem
internal import Glibc
public import Wire

/// Raises the walls around this process, for good.
///
/// To be called once everything is open that the process will need: afterwards no file can be opened, nothing can be
/// connected to, and no process can be started or signalled. Threads that are there already are confined too.
public struct Confinement {
    /// A wall that this kernel has did not go up.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        public let call: String
        public let errno: Int32

        public var description: String {
            let reason = chs_errno_text(errno).map { String(cString: $0) } ?? "no such error"
            return "\(call): \(reason) (errno \(errno))"
        }
    }

    /// Descriptors beyond those that are open when the sandbox closes: the engine's threads take some for their loops.
    static let descriptorReserve = 32
    /// Threads and processes of the same user, all together: the kernel counts no others.
    static let processLimit: UInt64 = 16_384

    private let order: SandboxOrder
    private var report = SandboxReport()

    /// - Parameters:
    ///   - supervisor: the process whose death is this one's.
    ///   - refusals: the descriptor that the report of a refused system call is written to.
    /// - Returns: nil when the supervisor is gone.
    public static func raise(
        _ order: SandboxOrder, supervisor: Int32, refusals: Int32
    ) throws(Failure) -> SandboxReport? {
        var confinement = Confinement(order: order)
        try confinement.leaveFolder()
        try confinement.limitResources()
        try confinement.takeUser()
        // A change of user clears both.
        guard try confinement.tieToSupervisor(supervisor) else { return nil }
        try confinement.restrictEveryThread()
        try confinement.denyExecutableGain()
        try confinement.filterSystemCalls(reportingTo: refusals)
        return confinement.report
    }

    private init(order: SandboxOrder) { self.order = order }

    private func check(_ result: Int32, _ call: String) throws(Failure) {
        guard result >= 0 else { throw Failure(call: call, errno: errno) }
    }

    /// `act` says itself which of its calls failed.
    private func check(_ act: (inout UnsafePointer<CChar>?) -> Int32) throws(Failure) {
        var call: UnsafePointer<CChar>?
        guard act(&call) >= 0 else {
            throw Failure(call: call.map { String(cString: $0) } ?? "a call without a name", errno: errno)
        }
    }

    /// A folder that a process is in is one that it has: the supervisor's is none of its business.
    private func leaveFolder() throws(Failure) { try check(chdir("/"), "chdir(/)") }

    private mutating func limitResources() throws(Failure) {
        let highest = try highestDescriptor()
        try check { call in
            chf_limit_resources(UInt64(highest + 1 + Self.descriptorReserve), Self.processLimit, &call)
        }
        report.walls.append(.limits)
    }

    private func highestDescriptor() throws(Failure) -> Int {
        guard let folder = opendir("/proc/self/fd") else { throw Failure(call: "open(/proc/self/fd)", errno: errno) }
        defer { closedir(folder) }
        var highest = 0
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            highest = max(highest, Int(name) ?? 0)
        }
        return highest
    }

    private mutating func takeUser() throws(Failure) {
        guard let user = order.user else {
            if geteuid() == 0 {
                report.missing.append(.init(.componentUser, "it runs as root: the supervisor gives it no other user"))
            }
            return
        }
        try check { chf_become(user.id, user.group, &$0) }
        report.walls.append(.componentUser)
    }

    private mutating func tieToSupervisor(_ supervisor: Int32) throws(Failure) -> Bool {
        try check(chs_set_parent_death_signal(SIGKILL), "prctl(PR_SET_PDEATHSIG)")
        guard getppid() == supervisor else { return false }
        report.walls.append(.parentDeath)
        try check(chs_set_not_dumpable(), "prctl(PR_SET_DUMPABLE)")
        report.walls.append(.noDumps)
        return true
    }

    private mutating func restrictEveryThread() throws(Failure) {
        let version = chf_landlock_version()
        let without = Landlock.missing(version, errno)
        var rules: Int32 = -1
        if version > 0 {
            rules = chf_landlock_deny_all(version)
            try check(rules, "landlock_create_ruleset")
        }
        defer { if rules >= 0 { close(rules) } }
        try check { chf_restrict_every_thread(rules, &$0) }
        report.walls.append(.noNewPrivileges)
        report.walls += [.files, .network, .scopes].filter { wall in !without.contains { $0.wall == wall } }
        report.missing += without
    }

    private mutating func denyExecutableGain() throws(Failure) {
        guard SandboxSurvey.hasExecutableGainDenial else {
            report.missing.append(SandboxSurvey.noExecutableGainDenial(errno))
            return
        }
        try check(chf_deny_executable_gain(), "prctl(PR_SET_MDWE)")
        report.walls.append(.noExecutableGain)
    }

    private mutating func filterSystemCalls(reportingTo descriptor: Int32) throws(Failure) {
        guard !order.filter.isEmpty else {
            report.missing.append(.init(.systemCalls, "the supervisor gave no filter"))
            return
        }
        guard SandboxSurvey.hasSystemCallFilter else {
            report.missing.append(SandboxSurvey.noSystemCallFilter(errno))
            return
        }
        guard let program = order.filterProgram(for: getpid()) else {
            throw Failure(call: "the order's filter of \(order.filter.count) bytes", errno: EINVAL)
        }
        let refusal = RefusalReport()
        let code = ComponentExitCode.sandboxDenial.rawValue
        try check(
            chf_report_refused_calls(
                descriptor, code, refusal.bytes, refusal.bytes.count, refusal.callAt, refusal.architectureAt),
            "sigaction(SIGSYS)")
        let installed = program.withUnsafeBytes {
            chf_filter_system_calls($0.baseAddress, UInt16(program.count / SandboxOrder.instructionSize))
        }
        try check(installed, "seccomp(SECCOMP_SET_MODE_FILTER)")
        report.walls.append(.systemCalls)
    }
}

extension Confinement {
    /// From now on a signal that ends this process says on `descriptor` where it came from. Nil, or an errno value.
    public static func reportFatalSignals(on descriptor: Int32) -> Int32? {
        let report = ComponentReport.fatal(FatalSignalReport(signal: 0, code: 0, pid: 0, uid: 0, address: 0)).encoded()
        return chf_report_fatal_signals(descriptor, report, report.count, report.count - 24) == 0 ? nil : errno
    }

    /// While true, a message is on its way through the descriptor for reports of signals: what stands half in it may not
    /// be broken by one.
    public static func setReportChannel(busy: Bool) { chf_report_channel_busy(busy ? 1 : 0) }
}

/// `ComponentReport.refused` as it is written by a signal handler, which only puts the two numbers in.
private struct RefusalReport {
    let bytes = ComponentReport.refused(call: 0, architecture: 0).encoded()
    var callAt: Int { bytes.count - 8 }
    var architectureAt: Int { bytes.count - 4 }
}
