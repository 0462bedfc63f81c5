import Commands
import Foundation

exit(CommandLineMain.run(Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
