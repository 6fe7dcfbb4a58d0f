internal import Bytes
internal import POSIX

// The Swift runtime reads the arguments from /proc. If it cannot, the list is empty, and the
// program would start a server with the default options.
guard !CommandLine.arguments.isEmpty else {
    Output.process.printError(
        "navstate: the arguments cannot be read; check that /proc is mounted, and the limit of "
            + "open files\n")
    Process.exit(ExitCode.internalError.rawValue)
}
let words = Array(CommandLine.arguments.dropFirst())
if let bad = Process.badArgument {
    Output.process.printError("navstate: \(bad.clipped) is not UTF-8\n")
    Process.exit((Program.isClient(words) ? ExitCode.clientUsage : .usage).rawValue)
}
// The output of a client command is often the input of another program, which may end first.
if Program.isClient(words) { Signals.endOnClosedPipe() }
let code = Program.run(words, in: .process, output: .process)
if code != .success { Process.exit(code.rawValue) }
