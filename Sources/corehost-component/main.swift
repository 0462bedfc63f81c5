import ComponentHosting

ComponentProcess.run(CommandLine.arguments)
