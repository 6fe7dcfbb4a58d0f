internal import API
internal import AppTools
internal import Bytes
internal import JSON

/// The command `play`: carries out the lines of a script.
struct Play {
    /// A line of the script that does something.
    private enum Step {
        case pause(milliseconds: Double)
        /// A command, and the ids that it added when it was recorded.
        case command(Invocation, added: [String])
    }

    private let command: ClientCommand
    private var steps: [(number: Int, step: Step)] = []
    private var ids = EntryIDs()
    private let file: String

    /// Reads the script.
    ///
    /// - Throws: a `usage` error for the first line that cannot be carried out.
    init(_ command: ClientCommand, _ file: String) throws(ExitError) {
        (self.command, self.file) = (command, file)
        let bytes = try command.context.world.document(file)
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            do {
                if let step = try step(line) { steps.append((index + 1, step)) }
            } catch {
                throw ExitError(.usage, "\(file):\(index + 1): \(error.message)")
            }
        }
    }

    private func step(_ line: Substring) throws(ExitError) -> Step? {
        guard let (words, comment) = ShellWords.parse(line) else {
            throw ExitError(.usage, "only words, quotes and comments can be played")
        }
        guard let first = words.first else { return nil }
        if first == "sleep", words.count == 2, let seconds = Self.number(words[1]) {
            return .pause(milliseconds: seconds * 1000)
        }
        guard first == "navstate", words.count > 1 else {
            throw ExitError(.usage, "\(first.clipped): only navstate and sleep can be played")
        }
        let invocation = try Invocation(Array(words.dropFirst()))
        guard invocation.subcommand.isOneRequest else {
            throw ExitError(.usage, "\(words[1].clipped) cannot be played")
        }
        let other = command.words["ID"].map(invocation.replacingSession) ?? invocation
        return .command(other, added: comment.words)
    }

    /// A number that is not negative, such as 0.5.
    static func number(_ text: String) -> Double? {
        Double(text).flatMap { $0.isFinite && $0 >= 0 && $0 <= 86_400 ? $0 : nil }
    }

    /// Carries out the lines, again and again if the script is a loop.
    mutating func run(speed: Double, isLoop: Bool) throws(ExitError) {
        guard !steps.isEmpty else { return }
        repeat {
            ids = EntryIDs()
            for (number, step) in steps {
                do {
                    try carryOut(step, speed)
                } catch {
                    // The problem was printed.
                    let why = error.message.isEmpty ? "refused" : error.message
                    throw ExitError(error.code, "\(file):\(number): \(why); the rest is not played")
                }
            }
            // A loop without a pause would only keep the server busy.
            if isLoop, try pause(Self.loopPause) { return }
        } while isLoop
    }

    private static let loopPause = 1000.0

    private func pause(_ milliseconds: Double) throws(ExitError) -> Bool {
        let output = [command.context.output.descriptor].compactMap { $0 }
        return try Wait.pause(Int64(milliseconds), ending: output)
    }

    private mutating func carryOut(_ step: Step, _ speed: Double) throws(ExitError) {
        switch step {
        case .pause(let milliseconds): _ = try pause(milliseconds / speed)
        case .command(let invocation, let added):
            var context = command.context
            context.invocation = invocation
            let line = try ClientCommand(context, of: command)
            let (result, form) = try line.result(replacing: ids)
            command.printer.print(result, as: form, of: context.argument)
            ids.set(added, to: result["added"]?.items.compactMap(\.string) ?? [])
        }
    }
}

extension ClientCommand {
    /// Carries out the script that the word `FILE` names.
    func play() throws(ExitError) {
        let speed = Play.number(option("speed") ?? "1") ?? 0
        guard speed >= 0.001 else {
            throw ExitError(.usage, "--speed must be a number from 0.001 to 86400")
        }
        var play = try Play(self, words["FILE"] ?? "")
        try play.run(speed: speed, isLoop: flag("loop"))
    }
}
