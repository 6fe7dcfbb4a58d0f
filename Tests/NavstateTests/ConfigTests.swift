import API
import Server
import Storage
import Testing
import navstate

/// The verb config, precedence over all sources, and the bounds of options.
@Suite struct ConfigTests {
    /// The columns of a row of the report.
    private func row(_ name: String, _ result: CommandLine.Result) -> [String]? {
        for line in result.output.split(separator: "\n") {
            let columns = line.split(separator: " ", maxSplits: 2)
                .map { $0.drop { $0 == " " } }
            if let first = columns.first, first == name { return columns.map(String.init) }
        }
        return nil
    }

    @Test func `config lists every option with its value and its source`() throws {
        let result = CommandLine().run("config")
        #expect(result.code == .success)
        let names = result.output.split(separator: "\n").compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(names == Option.all.filter { $0.hasVariable && $0.name != "config" }.map(\.name))
        #expect(try #require(row("drain", result)).suffix(1) == ["default"])
        #expect(try #require(row("metrics-listen", result))[1] == "-")
    }

    /// The sources of a value, the weaker ones first.
    enum Source: Int, CaseIterable {
        case builtIn, config, variable, flag
    }

    @Test(arguments: 0..<8)
    func `the strongest source that is given decides`(given: Int) throws {
        let has = { (source: Source) in given & 1 << (source.rawValue - 1) != 0 }
        var program = CommandLine()
        var words = ["config"]
        program.files["/c"] = has(.config) ? #"{"drain": "1s"}"# : "{}"
        program.environment["NAVSTATE_CONFIG"] = "/c"
        if has(.variable) { program.environment["NAVSTATE_DRAIN"] = "2s" }
        if has(.flag) { words.append("--drain=3s") }
        let strongest = Source.allCases.dropFirst().last(where: has) ?? .builtIn
        let expected =
            switch strongest {
            case .builtIn: ["0s", "default"]
            case .config: ["1s", "file /c"]
            case .variable: ["2s", "environment NAVSTATE_DRAIN"]
            case .flag: ["3s", "command line"]
            }
        let columns = try #require(row("drain", program.run(words)))
        #expect(Array(columns.dropFirst()) == expected)
    }

    @Test(arguments: ["/c", "NAVSTATE_DRAIN"])
    func `a mistake is found even if another source overrides it`(place: String) {
        var program = CommandLine()
        program.files["/c"] = place == "/c" ? #"{"drain": "soon"}"# : "{}"
        program.environment["NAVSTATE_CONFIG"] = "/c"
        if place != "/c" { program.environment[place] = "soon" }
        let result = program.run("config", "--drain", "1s")
        #expect(result.code == .usage)
        #expect(result.errors.contains(place), "\(result.errors)")
    }

    @Test func `a secret is neither reported nor shown in an error`() throws {
        let secret = "correct-horse-battery-staple"
        let program = CommandLine(environment: ["NAVSTATE_TOKEN": secret])
        let result = program.run("config")
        #expect(!result.output.contains(secret))
        #expect(try #require(row("token", result))[1] == "(secret)")
        let wrong = CommandLine(environment: ["NAVSTATE_TOKEN": secret + "\0"]).run("config")
        #expect(wrong.code == .usage)
        #expect(!wrong.errors.contains(secret), "\(wrong.errors)")
    }

    @Test func `a secret may come from a file, and only its last newline is removed`() throws {
        let program = CommandLine(
            environment: ["NAVSTATE_TOKEN_FILE": "/t"], files: ["/t": "secret\n"])
        #expect(try #require(row("token", program.run("config")))[1] == "(secret)")
        let text = ["/t": " secret \n\n"]
        let resolution = try ResolutionTests.resolve(
            environment: ["NAVSTATE_TOKEN_FILE": "/t"], files: text)
        #expect(resolution.configuration.access.token == " secret \n")
    }

    // MARK: - Bounds

    @Test func `every bounded option accepts its bounds and refuses what is beyond`() throws {
        for option in Option.all {
            let (valid, invalid): ([String], [String])
            switch option.kind {
            case .count(let range):
                valid = ["\(range.lowerBound)", "\(range.upperBound)"]
                invalid = [
                    "\(range.lowerBound - 1)", "\(range.upperBound + 1)", "", "1.5", "+9", "0x9",
                    " 9",
                ]
            case .size(let range):
                valid = ["\(range.lowerBound)", "\(range.upperBound)B"]
                invalid = ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "", "1.5MiB"]
            case .duration(let range):
                valid = ["\(range.lowerBound)ms", "\(range.upperBound)ms"]
                invalid = ["\(range.upperBound + 1)ms", "", "1", "-1s", "1 s"]
            case .flag:
                valid = ["true", "false", "1", "0", "yes", "no", "TRUE", "No"]
                invalid = ["", "perhaps", "2"]
            case .choice(let words):
                valid = words
                invalid = ["", words[0] + "x"]
            case .address:
                valid = ["127.0.0.1:1", "unix:/a"]
                invalid = ["", "example.org:80"]
            case .text, .file, .directory: continue
            }
            for value in valid {
                var configuration = Configuration()
                #expect(option.write(&configuration, [value]) == nil, "\(option.name) \(value)")
            }
            for value in invalid {
                var configuration = Configuration()
                let rule = option.write(&configuration, [value])
                #expect(rule == option.kind.rule, "\(option.name) \(value)")
            }
        }
    }

    @Test(
        arguments: [
            ("cache", ["auto", "1MiB", "1024GiB"], ["", "1", "AUTO", "1025GiB"]),
            ("pending-max", ["auto", "1MiB", "4GiB"], ["1023KiB", "5GiB"]),
            ("connections-per-address", ["auto", "1", "9999999"], ["0", "10000000", "-1", ""]),
            ("fsync", ["always", "never", "1ms", "1m"], ["0s", "61s", "sometimes", ""]),
            ("rate-limit", ["50", "50:200"], ["", "0", "fast", "50:", "50:0", ":5"]),
            ("allowed-host", ["nav.example", "10.0.0.1"], ["", "a b", "http://a", "a/b"]),
            ("allowed-origin", ["https://app.example", "http://a:8080"], ["", "app", "*"]),
        ] as [(String, [String], [String])])
    func `other options have rules of their own`(
        name: String, valid: [String], invalid: [String]
    ) throws {
        let option = try #require(Option.named(name))
        for value in valid {
            var configuration = Configuration()
            #expect(option.write(&configuration, [value]) == nil, "\(name) \(value)")
            #expect(!option.read(configuration).isEmpty)
        }
        for value in invalid {
            var configuration = Configuration()
            let rule = try #require(option.write(&configuration, [value]), "\(name) \(value)")
            #expect(rule.hasPrefix("must be "), "\(rule)")
        }
    }

    @Test func `an option that was read is written as the same value`() throws {
        for option in Option.all where !option.defaultText.isEmpty {
            var configuration = Configuration()
            let values = option.read(configuration)
            #expect(option.write(&configuration, values) == nil)
            #expect(option.read(configuration) == values, "\(option.name)")
        }
    }

    // MARK: - Contradictions

    @Test(
        arguments: [
            (["--listen", "1", "--listen", "2", "--listen", "1"], "--listen 127.0.0.1:1 is given"),
            (["--listen", "unix:/a,unix:/a"], "--listen unix:/a is given twice"),
            (["--listen", "1", "--metrics-listen", "1"], "--metrics-listen 127.0.0.1:1 is also"),
            (["--allow-anonymous", "--token-file", "/t"], "--allow-anonymous cannot be combined"),
            (["--header-max", "1KiB", "--field-max", "2KiB"], "--field-max must not be larger"),
            (["--session-max", "1KiB", "--params-max", "2KiB"], "--params-max must not be larger"),
        ] as [([String], String)])
    func `options that contradict each other exit with 64`(words: [String], start: String) {
        let result = CommandLine().run(["config"] + words)
        #expect(result.code == .usage)
        #expect(result.errors.hasPrefix("navstate: " + start), "\(result.errors)")
    }

    @Test(arguments: [
        ["--listen", "0,0"], ["--listen", "0", "--metrics-listen", "0"],
        ["--header-max", "2KiB", "--field-max", "2KiB"],
        ["--session-max", "2KiB", "--params-max", "2KiB"],
    ])
    func `equal limits and several ports of the kernel's choice go together`(words: [String]) {
        let result = CommandLine().run(["config"] + words)
        #expect(result.code == .success, "\(result.errors)")
    }

    // MARK: - The file

    @Test func `a file may have numbers, booleans and arrays`() throws {
        let text = """
            {"listen": ["1", "2"], "connections-max": 100, "recover": true, "drain": "1s",
            "allowed-host": "a.example,b.example", "body-max": 65536}
            """
        let configuration = try ResolutionTests.resolve(["--config", "/c"], files: ["/c": text])
            .configuration
        #expect(configuration.listen.map(\.port) == [1, 2])
        #expect(configuration.server.connectionsMax == 100)
        #expect(configuration.store.recover)
        #expect(configuration.server.drainMilliseconds == 1000)
        #expect(configuration.access.allowedHosts == ["a.example", "b.example"])
        let bodyMax = try #require(Option.named("body-max"))
        #expect(bodyMax.read(configuration) == ["64KiB"])
    }

    @Test(arguments: [
        #"{"connections-max": 1.5}"#, #"{"connections-max": [1]}"#, #"{"connections-max": true}"#,
        #"{"listen": [1]}"#, #"{"listen": {}}"#, #"{"drain": ["1s"]}"#, #"{"recover": null}"#,
    ])
    func `a member of the wrong type is refused with the option's rule`(text: String) throws {
        let program = CommandLine(files: ["/c": text])
        let result = program.run("config", "--config", "/c")
        #expect(result.code == .usage)
        #expect(result.errors.contains("must be "), "\(result.errors)")
    }

    // MARK: - Memory

    @Test func `a single response may use a quarter of the buffers`() {
        var configuration = Configuration()
        configuration.memory.bufferedBytes = 4 << 20
        configuration.share(Memory(limit: nil))
        #expect(configuration.server.service.recordBytesMax <= 1 << 20)
        #expect(configuration.server.service.snapshotBytesMax <= 1 << 20)
    }
}
