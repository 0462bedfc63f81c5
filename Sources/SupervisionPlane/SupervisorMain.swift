internal import Glibc

/// The supervisor as a program.
public enum SupervisorMain {
    /// Runs until it is told to end; gives the exit code.
    public static func run(_ options: RunOptions) -> Int32 {
        let text = "corehost: the supervisor is not linked yet\n"
        write(STDERR_FILENO, text, text.utf8.count)
        return 1
    }
}
