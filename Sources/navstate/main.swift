internal import POSIX

// The executable: what was asked for, and which exit code says how it went.

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let invocation = try Invocation(arguments)
    switch invocation.verb {
    case .help: Process.print(Usage.text)
    case .version: Process.print("navstate \(Version.text)\n")
    case .serve: try Serving.run(invocation.options)
    }
} catch {
    Process.print("navstate: \(error.message)\n", toError: true)
    Process.exit(error.code.rawValue)
}
