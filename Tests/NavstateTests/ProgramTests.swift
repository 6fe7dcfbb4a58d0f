import POSIX
import Testing
import navstate

/// The verbs that only print, and the exit codes of wrong command lines.
@Suite struct ProgramTests {
    let program = CommandLine()

    @Test func `version prints the name and the version`() {
        for words in [["version"], ["--version"], ["-V"]] {
            let result = program.run(words)
            #expect(result.output == "navstate \(Version.text)\n")
            #expect(result.errors.isEmpty)
            #expect(result.code == .success)
        }
    }

    @Test(arguments: [["version"], ["help"], ["openapi"], ["config"], ["app", "schema"]])
    func `output that cannot be written is an error`(words: [String]) {
        let errors = Lock("")
        let output = Output(
            print: { _ in }, printError: { text in errors.withLock { $0 += text } },
            failure: { "No space left on device" })
        let world = Resolution.World(environment: [:]) { path throws(ExitError) in
            throw ExitError(.usage, path)
        }
        #expect(Program.run(words, in: world, output: output) == .internalError)
        #expect(
            errors.withLock { $0 }
                == "navstate: the output cannot be written: No space left on device\n")
    }

    @Test func `openapi prints the description of the API`() {
        let result = program.run("openapi")
        #expect(result.output.hasPrefix("openapi: 3.1"))
        #expect(result.output.contains("/v1/sessions/{id}"))
        #expect(result.code == .success)
    }

    @Test func `manpage prints a page for man`() {
        let result = program.run("manpage")
        #expect(result.output.hasPrefix(".TH NAVSTATE 1"))
        #expect(result.output == ManualPage.text)
        for heading in ["NAME", "SYNOPSIS", "COMMANDS", "OPTIONS", "SIGNALS", "EXIT STATUS"] {
            #expect(result.output.contains(".SH \(heading)\n"), "\(heading)")
        }
    }

    @Test func `no line of the manual page begins with a dot by accident`() {
        let requests = [".TH", ".SH", ".SS", ".TP", ".B", ".RI", ".IP"]
        for line in ManualPage.text.split(separator: "\n") where line.hasPrefix(".") {
            #expect(requests.contains { line == $0 || line.hasPrefix($0 + " ") }, "\(line)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completion prints the script for a shell`(shell: String) {
        let result = program.run("completion", shell)
        #expect(result.output == Completion.text(for: shell))
        #expect(result.output.contains("navstate completion for \(shell)"))
        #expect(result.code == .success)
    }

    @Test(
        arguments: [
            (["hea"], "healthcheck:check that the server at --listen is ready; exit code 0 or 1\n"),
            (
                ["check", "--log-fo"],
                "--log-format:format of log lines; auto is text on a terminal "
                    + "and JSON elsewhere\n"
            ),
            (["--log-level", "no"], "notice\n"),
            (["--log-level=no"], "--log-level=notice\n"),
            (["--drain", "5s", "--log-format", "j"], "json\n"),
            (["--drain", ""], ""),
            (["completion", "f"], "fish\n"),
            (["store", "d"], "delete\n"),
            (["help", "exit"], "exit-codes\n"),
            (["restore", "back"], ":file\n"),
            (["check", ""], ":directory\n"),
            (["--data", "ke"], ":directory\n"),
            (["--config=ke"], ":file\n"),
            (["version", "b"], ""),
            (["--drain", "5s", "ch"], ""),
            (["create", "a"], ""),
            (["select", "kiosk", "ho"], ""),
            (["app", "pu"], "put:store an app on a server, or replace it\n"),
            (["app", "check", "x", "y"], ":file\n"),
            (["app", "check", "--from", "ho"], "hotwire\n"),
            (["app", "nothing", "x"], ""),
            (
                ["help", "app", "che"],
                "check:check documents of apps; print errors and warnings "
                    + "with their places\n"
            ),
            (["app", "put", "x"], ":file\n"),
            ([], ""),
        ] as [([String], String)])
    func `a word has the candidates that its place allows`(words: [String], lines: String) {
        let result = program.run(["complete", "zsh"] + words)
        #expect(result.output == lines)
        #expect(result.code == .success && result.errors.isEmpty)
    }

    @Test func `bash passes its line, and gets what follows the equals sign`() {
        #expect(program.run("complete", "bash", "navstate  --log-level=no").output == "notice\n")
        #expect(program.run("complete", "bash", "navstate check ").output == ":directory\n")
        #expect(program.run("complete", "fish", "sho").output == "show\tshow a session\n")
    }

    @Test func `help and its flags print the same overview`() {
        let overview = program.run("help").output
        #expect(overview.contains("navstate restore FILE"))
        #expect(program.run("--help").output == overview)
        #expect(program.run("-h").output == overview)
    }

    @Test(arguments: ["check", "restore", "serve --drain 1s", "healthcheck"])
    func `--help after a verb explains the verb`(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let result = program.run(words + ["--help"])
        #expect(result.code == .success)
        // serve is the default command, so its help is the overview.
        let expected = words[0] == "serve" ? Help.text(nil) : Help.text(words[0])
        #expect(result.output == expected)
    }

    @Test(arguments: [
        (["--listen"], "--listen ADDRESS\n"),
        (["drain"], "--drain TIME\n"),
        (["NAVSTATE_TOKEN"], "NAVSTATE_TOKEN\n"),
        (["exit-codes"], "Exit codes\n"),
        (["signals"], "Signals\n"),
        (["options"], "Serving\n"),
        (["check"], "navstate check [DIR]\n"),
        (["app", "check"], "navstate app check FILE...\n"),
        (["app"], "  navstate app check FILE..."),
    ])
    func `help explains a topic`(topic: [String], start: String) {
        let result = program.run(["help"] + topic)
        #expect(result.output.hasPrefix(start), "\(result.output.prefix(40))")
        #expect(result.code == .success)
    }

    @Test(
        arguments: [
            (["serv"], "unknown command serv (did you mean serve?)"),
            (["app"], "missing word after app: check, "),
            (["app", "chek", "x"], "unknown command app chek (did you mean check?); the commands"),
            (["app", "check"], "missing argument FILE; usage: navstate app check FILE..."),
            (["app", "check", "x", "--loop"], "--loop is an option of navstate play"),
            (["app", "check", "x", "--drain", "1s"], "--drain is an option of the server; those "),
            (["app", "check", "x", "--strict=maybe"], "--strict maybe: must be true or false"),
            (["app", "schema", "--json"], "--json is an option of the commands to a server"),
            (["app", "import", "x"], "the option --from is missing; it is one of apple-app-site"),
            (["app", "import", "x", "--from", "y"], "--from y: must be one of apple-app-site"),
            (["app", "import", "x", "--from=hotwire", "--host", "http://x"], "--host must be the"),
            (["app", "import", "x", "--from=hotwire", "--id", "-"], "- is not the id of an app"),
            (["help", "app", "chek"], "there is no help on app chek (did you mean app check?)"),
            (["--strict"], "--strict is an option of navstate app check"),
            (["--drian", "1s"], "unknown option --drian (did you mean --drain?)"),
            (["help", "drian"], "there is no help on drian (did you mean drain?)"),
            (["help", "--drian"], "there is no help on --drian (did you mean drain?)"),
            (["help", "a", "b"], "unexpected argument b"),
            (
                ["completion", "csh"],
                "unknown shell; completions are available for bash, zsh, fish"
            ),
            (["restore"], "missing argument FILE; usage: navstate restore FILE"),
            (["config", "x"], "unexpected argument x; usage: navstate config"),
            (["--token", "secret"], "unknown option --token"),
            (["check", "--drain", "soon"], "--drain soon: must be a time like 45s"),
            (["healthcheck", "--config", "/none"], "--config /none: No such file or directory"),
        ] as [([String], String)])
    func `a wrong command line exits with 64 and names the mistake`(
        words: [String], message: String
    ) {
        let result = program.run(words)
        #expect(result.code == .usage)
        #expect(result.errors.hasPrefix("navstate: "))
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.errors.hasSuffix("\n"))
        #expect(result.output.isEmpty)
    }

    @Test func `a long word in an error message is shortened`() {
        let word = String(repeating: "x", count: 10_000)
        for words in [[word], ["--" + word], ["help", word], ["version", word]] {
            let result = program.run(words)
            #expect(result.code == .usage)
            #expect(result.errors.utf8.count < 500)
        }
    }

    @Test func `the values of the exit codes do not change`() {
        let values = Dictionary(
            uniqueKeysWithValues: ExitCode.allCases.map { ("\($0)", $0.rawValue) })
        #expect(
            values == [
                "success": 0, "unhealthy": 1, "usage": 64, "unavailable": 69, "internalError": 70,
                "cannotCreate": 73, "damaged": 74, "locked": 75, "configuration": 78,
                "clientUsage": 2,
            ])
    }

    @Test func `every exit code has its own meaning`() {
        #expect(Set(ExitCode.allCases.map(\.meaning)).count == ExitCode.allCases.count)
        for code in ExitCode.allCases { #expect(!code.meaning.hasSuffix(".")) }
    }
}

/// The parsing of words into a verb, options and arguments.
@Suite struct InvocationTests {
    @Test func `serve is the verb if none is named`() throws {
        for words in [[], ["--drain", "1s"], ["serve"], ["serve", "--drain=1s"]] {
            #expect(try Invocation(words).subcommand.name == "serve")
        }
    }

    @Test(arguments: Subcommand.all)
    func `every command is recognized and shows its usage`(row: Subcommand) throws {
        let words =
            row.name.split(separator: " ").map(String.init)
            + row.words.all.filter(\.isRequired).map { _ in "bash" }
        #expect(try Invocation(words).subcommand == row)
        #expect(row.usage.hasPrefix(row.name))
        #expect(!row.meaning.hasSuffix("."))
        #expect(Subcommand.all.filter { $0 == row }.count == 1)
    }

    @Test(
        arguments: [
            (["--drain", "1s"], ["drain=1s"]),
            (["--drain=1s"], ["drain=1s"]),
            (["--drain="], ["drain="]),
            (["--allowed-host=a=b"], ["allowed-host=a=b"]),
            (["--recover"], ["recover=true"]),
            (["--recover=false"], ["recover=false"]),
            (["--recover", "--drain", "1s"], ["recover=true", "drain=1s"]),
            (["--listen", "1", "--listen", "2"], ["listen=1", "listen=2"]),
            (["--drain", "--recover"], ["drain=--recover"]),
            (["check", "/a"], ["data=/a"]),
            (["dump", "/a", "--recover"], ["recover=true", "data=/a"]),
        ] as [([String], [String])])
    func `options are given with a value after them or after an equals sign`(
        words: [String], options: [String]
    ) throws {
        let parsed = try Invocation(words).options.map { "\($0.option.name)=\($0.value)" }
        #expect(parsed == options)
    }

    @Test func `a verb after options is an unexpected argument`() {
        let error = #expect(throws: ExitError.self) {
            try Invocation(["--drain", "1s", "check"])
        }
        #expect(error?.message == "unexpected argument check; usage: navstate serve")
    }

    @Test func `a single dash is an argument`() throws {
        let invocation = try Invocation(["restore", "-"])
        #expect(invocation.arguments == ["-"])
        #expect(invocation.options.isEmpty)
    }
}
