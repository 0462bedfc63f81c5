import Glibc
import SupervisorProgram

exit(SupervisorProgram.run(Array(CommandLine.arguments.dropFirst())))
