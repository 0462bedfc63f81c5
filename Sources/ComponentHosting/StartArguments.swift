internal import Glibc

/// How the supervisor starts this program: `corehost-component <supervisor's pid> <generation> [<nice>]`, with the data
/// pipe as descriptor 3 and the control pipe as descriptor 4.
struct StartArguments: Equatable {
    static let dataDescriptor: Int32 = 3
    static let controlDescriptor: Int32 = 4
    static let usage = """
        corehost-component is started by corehost, one process per component; to run apps: corehost run

        """

    let supervisor: pid_t
    let generation: UInt64
    /// Its share of a processor when there is not enough for all: 0 = the supervisor's, 19 = least.
    let nice: Int32

    /// Nil when the arguments are not those of a supervisor.
    init?(_ arguments: [String]) {
        guard (3...4).contains(arguments.count), let supervisor = pid_t(arguments[1]), supervisor > 0,
            let generation = UInt64(arguments[2]), let nice = arguments.count > 3 ? Int32(arguments[3]) : 0,
            (0...19).contains(nice)
        else { return nil }
        self.supervisor = supervisor
        self.generation = generation
        self.nice = nice
    }

    /// Both pipes are there.
    static var hasPipes: Bool { [dataDescriptor, controlDescriptor].allSatisfy(isSocket) }

    static func isSocket(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
