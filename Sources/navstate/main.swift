internal import API
internal import POSIX

// The executable: what was asked for, and which exit code says how it went.

do {
    let invocation = try Invocation(Array(CommandLine.arguments.dropFirst()))
    try run(invocation)
} catch {
    Process.print("navstate: \(error.message)\n", toError: true)
    Process.exit(error.code.rawValue)
}

func run(_ invocation: Invocation) throws(ExitError) {
    let topic = invocation.arguments.first
    switch invocation.verb {
    case .version: Process.print("navstate \(Version.text)\n")
    case .openapi: Process.print(String(decoding: EmbeddedDocument.openAPI, as: UTF8.self))
    case .manpage: Process.print(ManualPage.text)
    case .help:
        guard let text = Help.text(topic) else { throw Help.unknown(topic ?? "") }
        Process.print(text)
    case .completion:
        guard let text = Completion.text(for: topic ?? "") else {
            let shells = Completion.shells.joined(separator: ", ")
            throw ExitError(.usage, "unknown shell; completions are available for \(shells)")
        }
        Process.print(text)
    case .config: Process.print(try Resolution(invocation.options, .process).report)
    case .serve: try Serving.run(invocation)
    case .healthcheck: try Healthcheck.run(try configuration(invocation))
    case .check: try Maintenance.check(try configuration(invocation))
    case .dump: try Maintenance.dump(try configuration(invocation))
    case .restore: try Maintenance.restore(topic ?? "", try configuration(invocation))
    }
}

func configuration(_ invocation: Invocation) throws(ExitError) -> Configuration {
    try Resolution(invocation.options, .process).configuration
}
