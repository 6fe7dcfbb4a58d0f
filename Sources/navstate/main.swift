internal import POSIX

let words = Array(CommandLine.arguments.dropFirst())
// The output of a client command is often the input of another program, which may end first.
if Program.isClient(words) { Signals.endOnClosedPipe() }
let code = Program.run(words, in: .process, output: .process)
if code != .success { Process.exit(code.rawValue) }
