/// The completion scripts for shells.
package enum Completion {
    /// The shells that have a script.
    package static let shells = ["bash", "zsh", "fish"]

    /// The script for a shell, or nil if it is not one of `shells`.
    package static func text(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    private static let flags = Option.all.filter(\.hasFlag)

    private static let verbs = Verb.allCases.map(\.rawValue).joined(separator: " ")

    private static let shellNames = shells.joined(separator: " ")

    private static let topics = Help.topics.joined(separator: " ")

    private static func words(_ option: Option) -> String {
        switch option.kind {
        case .choice(let words): words.joined(separator: " ")
        case .flag, .address, .file, .directory, .text, .count, .size, .duration: ""
        }
    }

    /// Only the first word is a command. Bash treats `=` as a separate word.
    private static var bash: String {
        let cases = flags.compactMap { option -> String? in
            switch option.kind {
            case .choice: "    \(option.flag)) _navstate_words \"\(words(option))\"; return ;;\n"
            case .directory: "    \(option.flag)) _navstate_files -d; return ;;\n"
            case .file: "    \(option.flag)) _navstate_files -f; return ;;\n"
            case .address, .text, .count, .size, .duration:
                "    \(option.flag)) return ;;\n"
            case .flag: nil
            }
        }
        return """
            # navstate completion for bash: source it, or put it into /etc/bash_completion.d
            _navstate_words() { COMPREPLY=($(compgen -W "$1" -- "$word")); }
            _navstate_files() {
              compopt -o filenames
              mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
            }
            _navstate() {
              local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
              COMPREPLY=()
              if [[ $word == = ]]; then word=
              elif [[ $before == = ]]; then before="${COMP_WORDS[COMP_CWORD-2]}"
              fi
              case "$before" in
            \(cases.joined())  esac
              if [[ $COMP_CWORD -eq 1 && $word != -* ]]; then
                _navstate_words "\(verbs)"
                return
              fi
              case "${COMP_WORDS[1]} $word" in
                completion\\ *) _navstate_words "\(shellNames)" ;;
                help\\ *) _navstate_words "\(topics)" ;;
                restore\\ [!-]*|restore\\ ) _navstate_files -f ;;
                check\\ [!-]*|dump\\ [!-]*) _navstate_files -d ;;
                *) _navstate_words "\(flags.map(\.flag).joined(separator: " "))" ;;
              esac
            }
            complete -F _navstate navstate

            """
    }

    /// The `=` after the name of an option lets its value follow in the same word or in the next.
    private static var zsh: String {
        let rows = flags.map { option in
            let meaning = quoted(option.doc.short)
            let value: String =
                switch option.kind {
                case .flag: ""
                case .choice: ":value:(\(words(option)))"
                case .directory: ":directory:_directories"
                case .file: ":file:_files"
                case .address, .text, .count, .size, .duration: ":value: "
                }
            let name = (option.isList ? "*" : "") + option.flag + (value.isEmpty ? "" : "=")
            return "    '\(name)[\(meaning)]\(value)' \\\n"
        }
        let verbs = Verb.allCases.map { "    '\($0.rawValue):\(quoted($0.meaning))'\n" }
        return """
            #compdef navstate
            # navstate completion for zsh: put it into $fpath as _navstate, or source it
            _navstate_argument() {
              case $words[2] in
                completion) compadd \(shellNames) ;;
                help) compadd \(topics) ;;
                restore) _files ;;
                check|dump) _directories ;;
                *) _message 'no more arguments' ;;
              esac
            }
            _navstate() {
              local -a commands
              commands=(
            \(verbs.joined())  )
              _arguments \\
            \(rows.joined())    '1:command:{_describe command commands}' \\
                '2:argument:_navstate_argument'
            }
            if [ "$funcstack[1]" = _navstate ]; then _navstate "$@"; else compdef _navstate navstate; fi

            """
    }

    /// Escapes text for single quotes, brackets and colons in zsh.
    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]")
            .replacing(":", with: "\\:")
    }

    private static var fish: String {
        let verbs = Verb.allCases.map { verb in
            "complete -c navstate -n __fish_use_subcommand -a \(verb.rawValue) "
                + "-d '\(verb.meaning.replacing("'", with: "\\'"))'\n"
        }
        let rows = flags.map { option in
            let value: String =
                switch option.kind {
                case .flag: ""
                case .choice: " -x -a '\(words(option))'"
                case .directory: " -x -a '(__fish_complete_directories)'"
                case .file: " -r -F"
                case .address, .text, .count, .size, .duration: " -x"
                }
            let meaning = option.doc.short.replacing("'", with: "\\'")
            return "complete -c navstate -l \(option.name)\(value) -d '\(meaning)'\n"
        }
        return """
            # navstate completion for fish: put it into ~/.config/fish/completions
            complete -c navstate -f
            \(verbs.joined())\(rows.joined())\
            complete -c navstate -n '__fish_seen_subcommand_from completion' -a '\(shellNames)'
            complete -c navstate -n '__fish_seen_subcommand_from help' -a '\(topics)'
            complete -c navstate -n '__fish_seen_subcommand_from restore' -F
            complete -c navstate -n '__fish_seen_subcommand_from check dump' \
                -a '(__fish_complete_directories)'

            """
    }
}
