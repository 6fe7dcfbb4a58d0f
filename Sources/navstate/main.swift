internal import POSIX

let code = Program.run(Array(CommandLine.arguments.dropFirst()), in: .process, output: .process)
if code != .success { Process.exit(code.rawValue) }
