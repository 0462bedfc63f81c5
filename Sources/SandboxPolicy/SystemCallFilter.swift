internal import CSeccomp
internal import Glibc
internal import Wire

/// Makes the filter of `SystemCallPolicy`, once for all components, and names what it refused.
public enum SystemCallFilter {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The program for this machine's architecture; `SandboxOrder.anyProcess` stands where a process's id belongs.
    public static func program() throws(Failure) -> [UInt8] {
        guard let context = seccomp_init(chc_trap) else { throw Failure(description: "libseccomp gives no filter") }
        defer { seccomp_release(context) }
        // Calls of another architecture, x32 among them, have other numbers: they are not even reported.
        try check(seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, chc_kill_process), "bad architecture")
        // A tree of comparisons in place of a list.
        try check(seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimize")
        for name in SystemCallPolicy.allowed { try rule(context, chc_allow, name) }
        for (error, names) in SystemCallPolicy.denied {
            for name in names { try rule(context, chc_errno(error), name) }
        }
        try addNarrowed(to: context)
        return try export(context)
    }

    /// Calls that are allowed with some arguments. The kernel looks at 32 bits of a number that it takes as `int`, a filter
    /// sees 64: what is compared is compared whole, so that no other number passes for an allowed one.
    private static func addNarrowed(to context: scmp_filter_ctx) throws(Failure) {
        let policy = SystemCallPolicy.self
        try rule(context, chc_allow, "clone", .masked(0, policy.cloneMask, policy.cloneThread))
        try rule(context, chc_allow, "tgkill", .equal(0, UInt64(SandboxOrder.anyProcess)))
        for name in ["mmap", "mprotect"] {
            let executable = policy.protectionExecutable
            try rule(context, chc_allow, name, .masked(2, executable, 0))
            try rule(context, chc_errno(EACCES), name, .masked(2, executable, executable))
        }
        // The handler that reports a refused call stays: signals 1 … 30, 32 … 63, 64.
        try rule(context, chc_allow, "rt_sigaction", .below(0, policy.signalOfRefusals))
        try rule(context, chc_allow, "rt_sigaction", .masked(0, ~0x1f, 0x20))
        try rule(context, chc_allow, "rt_sigaction", .equal(0, 64))
    }

    private enum Argument {
        case equal(UInt32, UInt64)
        case below(UInt32, UInt64)
        case masked(UInt32, _ mask: UInt64, UInt64)

        var comparison: scmp_arg_cmp {
            switch self {
            case .equal(let index, let value):
                scmp_arg_cmp(arg: index, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
            case .below(let index, let value):
                scmp_arg_cmp(arg: index, op: SCMP_CMP_LT, datum_a: value, datum_b: 0)
            case .masked(let index, let mask, let value):
                scmp_arg_cmp(arg: index, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
            }
        }
    }

    private static func rule(
        _ context: scmp_filter_ctx, _ action: UInt32, _ name: String, _ argument: Argument? = nil
    ) throws(Failure) {
        guard let number = number(ofCall: name) else { return }
        let arguments = argument.map { [$0.comparison] } ?? []
        try check(seccomp_rule_add_array(context, action, Int32(number), UInt32(arguments.count), arguments), name)
    }

    private static func export(_ context: scmp_filter_ctx) throws(Failure) -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        try check(pipe(&ends) == 0 ? 0 : -errno, "pipe")
        defer { for end in ends where end >= 0 { close(end) } }
        // A pipe takes 64 KiB before it makes its writer wait, a program has 32 at most.
        try check(seccomp_export_bpf(context, ends[1]), "export")
        close(ends[1])
        ends[1] = -1
        var program = [UInt8](repeating: 0, count: SandboxOrder.filterLimit + 1)
        var filled = 0
        while filled < program.count {
            let count = program[filled...].withUnsafeMutableBytes { read(ends[0], $0.baseAddress, $0.count) }
            try check(count >= 0 ? 0 : -errno, "read")
            if count == 0 { break }
            filled += count
        }
        guard filled <= SandboxOrder.filterLimit else {
            throw Failure(description: "libseccomp's filter has more than \(SandboxOrder.filterLimit) bytes")
        }
        return Array(program[..<filled])
    }

    private static func check(_ result: Int32, _ what: String) throws(Failure) {
        guard result >= 0 else {
            throw Failure(
                description: "libseccomp, \(what): \(String(cString: strerror(-result))) (errno \(-result))")
        }
    }

    /// Of this machine's architecture; nil: it has no such call.
    public static func number(ofCall name: String) -> Int? {
        let number = seccomp_syscall_resolve_name(name)
        return number >= 0 ? Int(number) : nil
    }

    /// `socket (system call 41 of x86_64)`.
    public static func name(ofCall number: UInt32, architecture: UInt32) -> String {
        let kernels = "system call \(number) of \(architectureName(architecture))"
        // libseccomp's tokens of architectures are the kernel's audit numbers.
        guard let name = seccomp_syscall_resolve_num_arch(architecture, Int32(bitPattern: number)) else {
            return kernels
        }
        defer { free(name) }
        return "\(String(cString: name)) (\(kernels))"
    }

    private static func architectureName(_ architecture: UInt32) -> String {
        switch architecture {
        case 0xC000_003E: "x86_64"
        case 0xC000_00B7: "aarch64"
        case 0x4000_0003: "i386"
        default: "architecture 0x\(String(architecture, radix: 16))"
        }
    }
}
