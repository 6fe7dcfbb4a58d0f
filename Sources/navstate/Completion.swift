/// What shells read to complete a command line.
package enum Completion {
    package static let shells = ["bash", "zsh", "fish"]

    /// - Parameter shell: one of `shells`, else nil.
    package static func text(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    private static let flags = Option.all.filter(\.hasFlag)

    private static func words(_ option: Option) -> String {
        switch option.kind {
        case .choice(let words): words.joined(separator: " ")
        case .flag, .address, .file, .directory, .text, .count, .size, .duration: ""
        }
    }

    private static var bash: String {
        let cases = flags.compactMap { option -> String? in
            switch option.kind {
            case .choice:
                "    \(option.flag)) COMPREPLY=($(compgen -W \"\(words(option))\" -- \"$word\")); "
                    + "return ;;\n"
            case .directory:
                "    \(option.flag)) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n"
            case .file: "    \(option.flag)) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
            case .address, .text, .count, .size, .duration:
                "    \(option.flag)) return ;;\n"
            case .flag: nil
            }
        }
        let verbs = Verb.allCases.map(\.rawValue).joined(separator: " ")
        return """
            # navstate completion for bash: source it, or put it into /etc/bash_completion.d
            _navstate() {
              local word="${COMP_WORDS[COMP_CWORD]}"
              COMPREPLY=()
              case "${COMP_WORDS[COMP_CWORD-1]}" in
            \(cases.joined())\
                completion) COMPREPLY=($(compgen -W "\(shells.joined(separator: " "))" -- "$word")); \
            return ;;
                restore) COMPREPLY=($(compgen -f -- "$word")); return ;;
              esac
              if [[ $COMP_CWORD -eq 1 && $word != -* ]]; then
                COMPREPLY=($(compgen -W "\(verbs)" -- "$word"))
              else
                COMPREPLY=($(compgen -W "\(flags.map(\.flag).joined(separator: " "))" -- "$word"))
              fi
            }
            complete -F _navstate navstate

            """
    }

    private static var zsh: String {
        let rows = flags.map { option in
            let meaning = quoted(option.meaning)
            let value: String =
                switch option.kind {
                case .flag: ""
                case .choice: ":value:(\(words(option)))"
                case .directory: ":directory:_directories"
                case .file: ":file:_files"
                case .address, .text, .count, .size, .duration: ":value: "
                }
            let name = option.isList ? "'*\(option.flag)" : "'\(option.flag)"
            return "    \(name)[\(meaning)]\(value)' \\\n"
        }
        let verbs = Verb.allCases.map { "    '\($0.rawValue):\(quoted($0.meaning))'\n" }
        return """
            #compdef navstate
            # navstate completion for zsh: put it into $fpath as _navstate
            _navstate() {
              local -a commands
              commands=(
            \(verbs.joined())  )
              _arguments \\
            \(rows.joined())    '1:command:{_describe command commands}' \\
                '*:argument:_files'
            }
            _navstate "$@"

            """
    }

    /// Within single quotes, brackets and colons of zsh.
    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]")
            .replacing(":", with: "\\:")
    }

    private static var fish: String {
        let verbs = Verb.allCases.map { verb in
            "complete -c navstate -n __fish_use_subcommand -f -a \(verb.rawValue) "
                + "-d '\(verb.meaning.replacing("'", with: "\\'"))'\n"
        }
        let rows = flags.map { option in
            let value: String =
                switch option.kind {
                case .flag: ""
                case .choice: " -x -a '\(words(option))'"
                case .directory: " -x -a '(__fish_complete_directories)'"
                case .file: " -r"
                case .address, .text, .count, .size, .duration: " -x"
                }
            let meaning = option.meaning.replacing("'", with: "\\'")
            return "complete -c navstate -l \(option.name)\(value) -d '\(meaning)'\n"
        }
        return """
            # navstate completion for fish: put it into ~/.config/fish/completions
            \(verbs.joined())\(rows.joined())\
            complete -c navstate -n '__fish_seen_subcommand_from completion' -f \
            -a '\(shells.joined(separator: " "))'

            """
    }
}
