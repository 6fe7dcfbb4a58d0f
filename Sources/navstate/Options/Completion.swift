internal import Bytes
internal import POSIX

/// Completion in shells. The script of a shell calls `navstate complete SHELL WORD...`, with the
/// words from the program's name up to the cursor, and gets a candidate per line.
package enum Completion {
    /// The command that the scripts call. It is not for people, so help does not list it.
    package static let command = "complete"

    /// The shells that have a script.
    package static let shells = ["bash", "zsh", "fish"]

    /// The command `completion`.
    static func printScript(_ context: CommandContext) throws(ExitError) {
        guard let text = text(for: context.argument) else {
            let names = shells.joined(separator: ", ")
            throw ExitError(.usage, "unknown shell; completions are available for \(names)")
        }
        context.output.print(text)
    }

    /// The script for a shell, or nil if it is not one of `shells`.
    package static func text(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    /// Bash treats `=` as a word, and replaces only what follows it. It passes the line instead of
    /// words, because it also divides words at colons.
    private static let bash = #"""
        # navstate completion for bash: source it, or put it into /etc/bash_completion.d
        _navstate() {
          local word="${COMP_WORDS[COMP_CWORD]#=}" line="${COMP_LINE:0:COMP_POINT}"
          mapfile -t COMPREPLY < <("${COMP_WORDS[0]/#\~/$HOME}" complete bash "$line" 2>/dev/null)
          [[ ${COMPREPLY[0]} == :* ]] || return
          compopt -o filenames
          mapfile -t COMPREPLY < <(compgen "-A${COMPREPLY[0]#:}" -- "$word")
        }
        complete -F _navstate navstate

        """#

    private static let zsh = #"""
        #compdef navstate
        # navstate completion for zsh: put it into $fpath as _navstate, or source it
        _navstate() {
          local -a found
          found=("${(@f)$("${~words[1]}" complete zsh "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
          [[ $found[1] == :* && $PREFIX == -*=* ]] && compset -P '*='
          case $found[1] in
            '') _message 'nothing' ;;
            :file) _files ;;
            :directory) _directories ;;
            *) _describe argument found ;;
          esac
        }
        if [ "$funcstack[1]" = _navstate ]; then _navstate "$@"; else compdef _navstate navstate; fi

        """#

    private static let fish = #"""
        # navstate completion for fish: put it into ~/.config/fish/completions
        function __navstate
            set -l words (commandline -opc)
            set -l program $words[1]
            set -e words[1]
            set -l word (commandline -ct)
            set -l found ($program complete fish $words "$word" 2>/dev/null)
            set -l option (string match -r -- '^-[^=]*=' "$word")
            switch "$found[1]"
                case :file :directory
                    set -l path (string replace -- "$option" '' "$word")
                    set -l paths (complete -C "'' $path")
                    test $found[1] = :directory; and set paths (string match -r '.*/$' -- $paths)
                    printf '%s\n' "$option"$paths
                case '*'
                    printf '%s\n' $found
            end
        end
        complete -c navstate -f -a '(__navstate)'

        """#
}

// The candidates.
extension Completion {
    /// The candidates for a word.
    private enum Candidates {
        /// Words, each with a phrase about it or without one.
        case words([(String, String)])
        case files, directories, sessions

        static let none = Candidates.words([])
    }

    /// The candidates for the last word: a line for each, or one line that names what the shell
    /// completes itself.
    ///
    /// - Parameter arguments: the shell, and the words after the program; bash passes the line.
    package static func candidates(
        for arguments: [String], in world: Resolution.World
    ) -> String {
        guard let shell = arguments.first else { return "" }
        let isBash = shell == "bash"
        let words =
            isBash
            ? (arguments.last ?? "").split(separator: " ", omittingEmptySubsequences: false)
                .map(String.init).dropFirst() : arguments.dropFirst()
        guard let word = words.last else { return "" }
        let place = Place(words.dropLast().filter { !$0.isEmpty }, word)
        switch place.candidates {
        case .files: return ":file\n"
        case .directories: return ":directory\n"
        case .sessions: return lines(sessions(place, world).map { ($0, "") }, for: shell)
        case .words(let candidates):
            let matching = candidates.filter { $0.0.hasPrefix(word) }
            // Bash has the option and the equals sign as words of their own.
            let start = isBash ? word.firstIndex(of: "=").map { word[...$0].count } ?? 0 : 0
            return lines(matching.map { (String($0.0.dropFirst(start)), $0.1) }, for: shell)
        }
    }

    private static func lines(_ candidates: [(String, String)], for shell: String) -> String {
        candidates.map { name, phrase in
            switch shell {
            case _ where phrase.isEmpty: "\(name)\n"
            case "zsh": "\(name.replacing(":", with: "\\:")):\(phrase)\n"
            case "fish": "\(name)\t\(phrase)\n"
            default: "\(name)\n"
            }
        }.joined()
    }

    /// The ids of sessions. A server that does not respond at once must not stop the shell for
    /// long, and a longer list of ids does not help.
    private static func sessions(_ place: Place, _ world: Resolution.World) -> [String] {
        let text = Lock("")
        let output = Output { part in
            text.withLock { $0 += part }
        } printError: { _ in
        }
        let words = ["ids", "--timeout", "2s", "limit=200"] + place.serverOptions
        _ = Program.run(
            words + (place.word.isEmpty ? [] : ["q=\(place.word)"]), in: world, output: output)
        return text.withLock { $0 }.split(separator: "\n").map(String.init)
    }

    /// A place on a command line.
    private struct Place {
        let word: String
        private(set) var serverOptions: [String] = []
        /// The option before the word, if its value is still to come.
        private var option: Option?
        private var subcommand: Subcommand?
        private var isFirst = true
        /// The words after the command, or after the first word of its name.
        private var rest: [String] = []
        /// The commands whose names begin with the first word.
        private var verbs: [Subcommand] = []

        init(_ before: [String], _ word: String) {
            self.word = word
            for word in before {
                if let option {
                    take(word, of: option)
                } else if word.hasPrefix("-") {
                    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                    option = Option.flags.first { $0.flag == parts[0] && $0.kind != .flag }
                    if word.contains("="), let option {
                        take(parts.count > 1 ? parts[1] : "", of: option)
                    }
                } else if isFirst {
                    subcommand = Subcommand.named(word)
                    verbs = Subcommand.verbs(of: word)
                } else if subcommand == nil, rest.isEmpty,
                    let verb = verbs.first(where: { $0.verb == word })
                {
                    subcommand = verb
                } else {
                    rest.append(word)
                }
                isFirst = false
            }
        }

        private mutating func take(_ value: String, of option: Option) {
            if ["server", "token-file"].contains(option.name) {
                serverOptions += [option.flag, value]
            }
            self.option = nil
        }

        var candidates: Candidates {
            if let option { return values(of: option) }
            guard word.hasPrefix("-") else { return words }
            guard let equals = word.firstIndex(of: "=") else {
                return .words(Option.flags.map { ($0.flag, $0.meaning) })
            }
            let name = word[..<equals]
            guard let option = Option.flags.first(where: { $0.flag == name }) else { return .none }
            guard case .words(let values) = values(of: option) else { return values(of: option) }
            return .words(values.map { ("\(name)=\($0.0)", $0.1) })
        }

        private func values(of option: Option) -> Candidates {
            switch option.kind {
            case .choice(let words): .words(words.map { ($0, "") })
            case .file: .files
            case .directory: .directories
            case .flag, .address, .text, .count, .size, .duration: .none
            }
        }

        private var words: Candidates {
            if isFirst {
                return .words(
                    Subcommand.firstWords.map { ($0, Subcommand.named($0)?.meaning ?? "") })
            }
            guard let subcommand else {
                return .words(rest.isEmpty ? verbs.map { ($0.verb, $0.meaning) } : [])
            }
            guard let name = subcommand.words.word(at: rest.count)?.name else { return .none }
            return switch name {
            case "ID": subcommand.takesSession ? .sessions : .none
            case "FILE": .files
            case "DIR": .directories
            case "TOPIC": .words(Help.topics.filter { $0.words.count == 1 }.map { ($0, "") })
            case "VERB": .words(Subcommand.verbs(of: rest[0]).map { ($0.verb, $0.meaning) })
            case _ where name == name.lowercased():
                .words(name.split(separator: "|").map { (String($0), "") })
            default: .none
            }
        }
    }
}
