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
            if words.first == Completion.command {
                output.print(Completion.candidates(for: Array(words.dropFirst()), in: world))
                return .success
            }
            let invocation = try Invocation(words)
            try invocation.subcommand.run(
                CommandContext(invocation: invocation, world: world, output: output))
            // A server prints only a greeting.
            if invocation.subcommand != .serve, let why = output.failure() {
                throw ExitError(.internalError, "the output cannot be written: \(why)")
            }
            return .success
        } catch {
            // Without a message, the reason has been printed already.
            if !error.message.isEmpty { output.printError("navstate: \(error.message)\n") }
            return error.code == .usage && isClient(words) ? .clientUsage : error.code
        }
    }

    /// Whether the words are a command to a running server.
    package static func isClient(_ words: [String]) -> Bool {
        Subcommand.beginning(words)?.isClient ?? false
    }
}
