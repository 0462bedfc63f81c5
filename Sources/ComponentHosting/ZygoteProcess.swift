internal import CSystem
internal import Glibc

/// `corehost-component zygote <supervisor's pid> <room>`, with a socket of packets to the supervisor as descriptor 3: a process
/// that has all libraries loaded, and no engine, and from which components are forked. What those show as their
/// arguments and environment stands where its own stood: `<room>`, and a variable `ROOM`, make it large enough.
enum ZygoteProcess {
    private static let socketDescriptor: Int32 = 3

    static func isWanted(_ arguments: [String]) -> Bool {
        arguments.count == 4 && arguments[1] == "zygote" && StartArguments.isSocket(socketDescriptor)
    }

    /// Returns in each component's process, with its arguments.
    static func serve(_ arguments: [String]) -> [String] {
        // It holds nothing that is secret, but who could write into it would be in every component.
        guard let supervisor = pid_t(arguments[2]), chs_set_parent_death_signal(SIGKILL) == 0,
            getppid() == supervisor, chs_set_not_dumpable() == 0,
            let (words, wordsSize) = Self.room(of: CommandLine.unsafeArgv),
            let (variables, variablesSize) = Self.room(of: environ),
            let forked = chs_zygote_serve(socketDescriptor, words, wordsSize, variables, variablesSize)
        else { exit(0) }
        var own: [String] = []
        var next = forked
        while let argument = next.pointee {
            own.append(String(cString: argument))
            next += 1
        }
        return own
    }

    /// The kernel lays strings out one behind the other.
    private static func room(
        of strings: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) -> (UnsafeMutablePointer<CChar>, Int)? {
        guard let first = strings[0] else { return nil }
        var last = strings
        while last[1] != nil { last += 1 }
        return last[0].map { (first, $0 - first + strlen($0) + 1) }
    }
}
