internal import Bytes

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

    /// The commands whose first argument is the id of a session.
    private static let sessionVerbs = Verb.allCases.filter(\.takesSession).map(\.rawValue)

    /// The command that prints the ids of sessions. A server that does not respond at once must not
    /// stop the shell for long, and nobody chooses among more ids.
    private static let ids = "ids --timeout 2s limit=200"

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
            # Counts the words before the cursor, and finds the options about the server.
            _navstate_place() {
              local -a line
              local i
              read -ra line <<< "${COMP_LINE:0:COMP_POINT}"
              place=0 server=()
              for ((i = 1; i < ${#line[@]}; i++)); do
                case "${line[i]}" in
                  --server=*|--token-file=*) server+=("${line[i]}") ;;
                  --server|--token-file) server+=("${line[i]}" "${line[i+1]}"); ((i++)) ;;
                  --*=*|--json) ;;
                  --*) ((i++)) ;;
                  *) ((place++)) ;;
                esac
              done
              [[ ${COMP_LINE:COMP_POINT-1:1} == " " ]] || ((place--))
            }
            _navstate_ids() {
              local place program="${COMP_WORDS[0]/#\\~/$HOME}"
              local -a server
              _navstate_place
              [[ $place -eq 1 ]] || return
              _navstate_words "$("$program" \(ids) "${server[@]}" ${word:+"q=$word"} 2>/dev/null)"
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
                app\\ [!-]*|app\\ )
                  if [[ $COMP_CWORD -eq 2 ]]
                  then _navstate_words put
                  else _navstate_files -f
                  fi ;;
            \(sessionCases)\
                check\\ [!-]*|dump\\ [!-]*) _navstate_files -d ;;
                *) _navstate_words "\(flags.map(\.flag).joined(separator: " "))" ;;
              esac
            }
            complete -F _navstate navstate

            """
    }

    /// The ids of sessions, unless an option is typed.
    private static var sessionCases: String {
        let patterns = sessionVerbs.map { "\($0)\\ [!-]*|\($0)\\ " }
        return "    \(patterns.joined(separator: "|"))) _navstate_ids ;;\n"
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
            _navstate_ids() {
              local -a server ids
              local name
              for name in --server --token-file; do
                if [[ -n $opt_args[$name] ]]; then server+=($name "${opt_args[$name]//\\\\:/:}"); fi
              done
              ids=(${(f)"$(${~words[1]} \(ids) $server ${PREFIX:+q=$PREFIX} 2>/dev/null)"})
              compadd -a ids
            }
            _navstate_argument() {
              case $words[2] in
                \(sessionVerbs.joined(separator: "|"))) _navstate_ids ;;
                app) compadd put ;;
                completion) compadd \(shellNames) ;;
                help) compadd \(topics) ;;
                restore) _files ;;
                check|dump) _directories ;;
                *) _message 'no more arguments' ;;
              esac
            }
            _navstate_second() {
              if [[ $words[2] == app ]]; then _files; else _message 'value'; fi
            }
            _navstate() {
              local -a commands
              commands=(
            \(verbs.joined())  )
              _arguments \\
            \(rows.joined())    '1:command:{_describe command commands}' \\
                '2:argument:_navstate_argument' '3:argument:_navstate_second' '*:value: '
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
            \(fishIDs)\
            \(verbs.joined())\(rows.joined())\
            complete -c navstate -n '__fish_seen_subcommand_from completion' -a '\(shellNames)'
            complete -c navstate -n '__fish_seen_subcommand_from help' -a '\(topics)'
            complete -c navstate -n '__fish_seen_subcommand_from restore' -F
            complete -c navstate -n '__fish_seen_subcommand_from app' -a put
            complete -c navstate -n '__fish_seen_subcommand_from put' -F
            complete -c navstate -a '(__navstate_ids)' \
                -n '__fish_seen_subcommand_from \(sessionVerbs.joined(separator: " "))'
            complete -c navstate -n '__fish_seen_subcommand_from check dump' \
                -a '(__fish_complete_directories)'

            """
    }

    /// Asks the server that is named before the cursor, for the first argument of a command.
    private static var fishIDs: String {
        """
        function __navstate_ids
            set -l words (commandline -opc)
            set -l server
            set -l place 0
            set -l skips 0
            for i in (seq 2 (count $words))
                if test $skips = 1
                    set skips 0
                    continue
                end
                switch $words[$i]
                    case '--server=*' '--token-file=*'
                        set -a server $words[$i]
                    case --server --token-file
                        set -a server $words[$i] $words[(math $i + 1)]
                        set skips 1
                    case '--*=*' --json
                    case '--*'
                        set skips 1
                    case '*'
                        set place (math $place + 1)
                end
            end
            test $place = 1
            and $words[1] \(ids) $server q=(commandline -ct) 2>/dev/null
        end

        """
    }
}
