internal import Commands

/// The program with the engine: the commands that `corehost` leaves to it.
public enum SupervisorProgram {
    /// As `CommandLineMain.run`.
    public static func run(_ arguments: [String]) -> Int32 { CommandLineMain.run(arguments, commands) }

    static let commands = [RunCommand.run, CoreCheckCommand.core, VersionCommand.version]
}
