internal import API
internal import Bytes

/// The program: from a command line to an exit code.
package enum Program {
    /// Runs a command line. `serve` returns when the server has stopped.
    ///
    /// - Parameter words: the arguments without the program's own name.
    /// - Returns: the exit code; if it is not `success`, the reason has been printed as an error.
    package static func run(
        _ words: [String], in world: Resolution.World, output: Output
    ) -> ExitCode {
        do throws(ExitError) {
            try run(try Invocation(words), in: world, output: output)
            return .success
        } catch {
            // Without a message, the reason has been printed already.
            if !error.message.isEmpty { output.printError("navstate: \(error.message)\n") }
            return error.code == .usage && isClient(words) ? .clientUsage : error.code
        }
    }

    /// Whether the words are a command to a running server.
    package static func isClient(_ words: [String]) -> Bool {
        words.first.flatMap(Verb.init(named:))?.isClient ?? false
    }

    private static func run(
        _ invocation: Invocation, in world: Resolution.World, output: Output
    ) throws(ExitError) {
        func configuration() throws(ExitError) -> Configuration {
            try Resolution(invocation.options, world).configuration
        }
        let argument = invocation.arguments.first
        /// A directory that is named counts, whatever the environment says of a shared store.
        func storeConfiguration() throws(ExitError) -> Configuration {
            var configuration = try configuration()
            if argument != nil { configuration.sharedStore.address = nil }
            return configuration
        }
        switch invocation.verb {
        case .serve: try Serving.run(invocation, in: world, output: output)
        case .demo: try Demo.run(invocation, in: world, output: output)
        case .healthcheck: try Healthcheck.run(try configuration(), output: output)
        case .check: try Maintenance.check(try storeConfiguration(), output: output)
        case .dump: try Maintenance.dump(try storeConfiguration(), output: output)
        case .restore:
            try Maintenance.restore(argument ?? "", into: try configuration(), output: output)
        case .store: try SharedStoreVerb.run(argument ?? "", try configuration(), output: output)
        case .config: output.print(try Resolution(invocation.options, world).report)
        case .version: output.print("navstate \(Version.text)\n")
        case .openapi: output.print(String(decoding: EmbeddedDocument.openAPI, as: UTF8.self))
        case .completion: output.print(try completion(for: argument ?? ""))
        case .manpage: output.print(ManualPage.text)
        case .sessions, .ids, .show, .create, .watch, .apps, .app, .navigate, .back, .root,
            .present, .dismiss, .select, .open, .undo, .redo:
            try ClientCommand.run(invocation, in: world, output: output)
        case .help:
            guard let text = Help.text(argument) else { throw Help.unknown(argument ?? "") }
            output.print(text)
        }
    }

    private static func completion(for shell: String) throws(ExitError) -> String {
        if let text = Completion.text(for: shell) { return text }
        let shells = Completion.shells.joined(separator: ", ")
        throw ExitError(.usage, "unknown shell; completions are available for \(shells)")
    }
}
