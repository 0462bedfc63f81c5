import Commands
import Glibc

exit(CommandLineMain.run(Array(CommandLine.arguments.dropFirst())))
