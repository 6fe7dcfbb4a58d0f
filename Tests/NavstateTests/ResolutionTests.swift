import Bytes
import Server
import Testing
import navstate

/// Options from everywhere, and what happens to those that are wrong.
@Suite struct ResolutionTests {
    static func resolve(
        _ words: [String] = [], environment: [String: String] = [:], files: [String: String] = [:]
    ) throws(ExitError) -> Resolution {
        let world = Resolution.World(environment: environment) { path throws(ExitError) in
            Array((files[path] ?? "").utf8)
        }
        return try Resolution(try Invocation(words).options, world)
    }

    static func message(
        _ words: [String] = [], environment: [String: String] = [:], files: [String: String] = [:]
    ) -> String? {
        do {
            _ = try resolve(words, environment: environment, files: files)
            return nil
        } catch {
            return error.message
        }
    }

    static func text(_ name: String, _ resolution: Resolution) throws -> String {
        try #require(Option.named(name)).read(resolution.configuration).joined(separator: ",")
    }

    @Test func `a flag beats a variable, that a file, and that the default`() throws {
        let files = ["/c": #"{"cache": "1MiB", "drain": "1s", "body-max": "2KiB"}"#, "/s": "3s\n"]
        let config = ["NAVSTATE_CONFIG": "/c"]
        let all = try Self.resolve(
            ["--drain", "4s"],
            environment: config.merging(
                ["NAVSTATE_DRAIN": "2s", "NAVSTATE_STOP_TIMEOUT_FILE": "/s"]) { $1 },
            files: files)
        #expect(try Self.text("drain", all) == "4s")
        #expect(try Self.text("cache", all) == "1MiB")
        #expect(try Self.text("stop-timeout", all) == "3s")
        #expect(try Self.text("idle-timeout", all) == "75s")
        let origins = ["drain", "cache", "stop-timeout", "idle-timeout"].map {
            all.origins[ExactString($0)]?.description ?? "default"
        }
        #expect(
            origins == [
                "command line", "file /c", "file named by NAVSTATE_STOP_TIMEOUT_FILE", "default",
            ])
        let less = try Self.resolve(
            environment: config.merging(["NAVSTATE_DRAIN": "2s"]) { $1 }, files: files)
        #expect(try Self.text("drain", less) == "2s")
    }

    @Test(arguments: ["check", "dump"])
    func `a store is named by a word or by its option`(verb: String) throws {
        for words in [[verb, "/a"], [verb, "--data", "/a"]] {
            #expect(try Self.text("data", Self.resolve(words)) == "/a")
        }
        #expect(try Self.text("data", Self.resolve([verb])) == "./navstate-data")
    }

    @Test func `every option takes its default back from a flag, a variable and a file`() throws {
        for option in Option.all where option.hasVariable && !option.defaultText.isEmpty {
            let value = option.defaultText
            let isOfClient = OptionGroup.client.options.contains { $0.name == option.name }
            let verb = option.name == "lan" ? ["demo"] : isOfClient ? ["apps"] : ["serve"]
            let byFlag = verb + (option.hasFlag ? ["\(option.flag)=\(value)"] : [])
            let environment = [option.variable: value]
            let files = ["/c": "{\"\(option.name)\": \"\(value)\"}"]
            #expect(Self.message(byFlag) == nil)
            #expect(Self.message(environment: environment) == nil)
            #expect(Self.message(["--config", "/c"], files: files) == nil)
            let resolved = try Self.resolve(environment: environment)
            #expect(try Self.text(option.name, resolved) == value)
            #expect(resolved.origins[ExactString(option.name)] != nil)
        }
    }

    @Test(arguments: [
        (["--listn", "8080"], "unknown option --listn (did you mean --listen?); see"),
        (["serv"], "unknown command serv (did you mean serve?); see navstate help"),
        (["--drain", "5"], "--drain 5: must be a time like 45s or 500ms, from 0s to 10m"),
        (["--drain"], "--drain TIME: the value is missing; it must be a time"),
        (["--drain", "1s", "--drain", "2s"], "--drain is given twice"),
        (["--body-max", "1Mib2"], "--body-max 1Mib2: must be a size like 64MiB"),
        (["--listen", "example.org:80"], "--listen example.org:80: must be ADDRESS:PORT"),
        (["--listen", "8080", "--listen", "127.0.0.1:8080"], "is given twice"),
        (["--listen", "8080", "--metrics-listen", "8080"], "is also a --listen address"),
        (["--log-level", "loud"], "must be one of trace, debug, info"),
        (["--field-max", "64KiB"], "must not be larger than --header-max"),
        (["completion"], "missing argument bash|zsh|fish; usage: navstate completion"),
        (["version", "now"], "unexpected argument now; usage: navstate version"),
        (["check", "a", "b"], "unexpected argument b; usage: navstate check [DIR]"),
        (["dump", "a", "--data", "b"], "--data is given twice"),
        (["--recover=perhaps"], "must be true or false"),
        (
            ["--allowed-origin", "https://a/"],
            "must be an origin like https://app.example, without"
        ),
        (["--allowed-host", "a:80"], "must be a name like nav.example, without"),
        (["--listen", "unix:/" + String(repeating: "x", count: 200)], "with at most 107 bytes"),
    ])
    func `what is wrong is named`(words: [String], start: String) throws {
        #expect(try #require(Self.message(words)).contains(start))
    }

    @Test func `words after two hyphens are no options`() throws {
        let invocation = try Invocation(["setBadge", "--json", "a", "main", "--", "-5"])
        #expect(invocation.arguments == ["a", "main", "-5"])
        #expect(invocation.options.map(\.option.name) == ["json"])
    }

    @Test func `wrong variables are named, and an orchestrator's are let pass`() throws {
        #expect(
            Self.message(environment: ["NAVSTATE_LISTEM": "1"])
                == "unknown variable NAVSTATE_LISTEM (did you mean NAVSTATE_LISTEN?)")
        let both = ["NAVSTATE_DRAIN": "1s", "NAVSTATE_DRAIN_FILE": "/x"]
        #expect(try #require(Self.message(environment: both)).contains("are both set"))
        // The file of --config has no file that would name it.
        #expect(Self.message(environment: ["NAVSTATE_CONFIG_FILE": "/c"]) != nil)
        let cluster = [
            "NAVSTATE_SERVICE_HOST": "10.0.0.1", "NAVSTATE_PORT": "tcp://10.0.0.1:80",
            "NAVSTATE_PORT_8080_TCP_ADDR": "10.0.0.1",
        ]
        #expect(Self.message(environment: cluster) == nil)
    }

    @Test(arguments: [
        (#"{"drian": "1s"}"#, "unknown option drian (did you mean drain?)"),
        (#"{"drain": null}"#, "drain must be a time"),
        (#"{"drain": "1s", "drain": "2s"}"#, "line 1, column"),
        ("[]", "must be a JSON object"),
        (#"{"config": "/c"}"#, "unknown option config"),
    ])
    func `a wrong file is named`(text: String, part: String) throws {
        let message = try #require(Self.message(["--config", "/c"], files: ["/c": text]))
        #expect(message.contains(part), "\(message)")
        #expect(message.hasPrefix("/c: ") && !message.contains("did you mean config"))
    }

    @Test func `a file that cannot be read is named with what named it`() throws {
        let environment = ["NAVSTATE_DRAIN_FILE": "/s"]
        let world = Resolution.World(environment: environment) { path throws(ExitError) in
            throw ExitError(.usage, "\(path): No such file or directory")
        }
        let cases = [
            (["--config", "/c"], "--config /c: No such file or directory"),
            ([], "NAVSTATE_DRAIN_FILE /s: No such file or directory"),
        ]
        for (words, message) in cases {
            let failure = #expect(throws: ExitError.self) {
                try Resolution(try Invocation(words).options, world)
            }
            #expect(failure?.message == message)
        }
    }

    @Test func `lists are several options, commas, or an array`() throws {
        let expected = ["127.0.0.1:1", "[::1]:2", "unix:/run/n.sock"]
        let forms: [([String], String)] = [
            (["--listen", "1", "--listen", "[::1]:2", "--listen=unix:/run/n.sock"], ""),
            (["--listen", "1,[::1]:2,unix:/run/n.sock"], ""),
            (["--config", "/c"], #"{"listen": ["1", "[::1]:2", "unix:/run/n.sock"]}"#),
        ]
        for (words, file) in forms {
            let resolved = try Self.resolve(words, files: ["/c": file])
            #expect(resolved.configuration.listen.map(\.description) == expected)
        }
    }

    @Test func `a list of addresses is not empty`() throws {
        let failure = #expect(throws: ExitError.self) {
            try Self.resolve(["--config", "/c"], files: ["/c": #"{"listen": []}"#])
        }
        #expect(failure?.code == .usage)
        #expect(failure?.message.hasSuffix("must have at least one value") == true)
        let others = try Self.resolve(
            ["--config", "/c"], files: ["/c": #"{"allowed-origin": []}"#])
        #expect(others.configuration.listen.count == 1)
    }

    @Test(
        arguments: [
            ("45s", 45_000), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000),
            ("7d", 604_800_000),
            ("0", 0), ("5", nil), ("s", nil), ("-1s", nil), ("1.5s", nil), ("", nil),
            ("999999999999999d", nil),
            ("99999999999999999999s", nil),
        ] as [(String, Int64?)])
    func `durations`(text: String, milliseconds: Int64?) {
        #expect(navstate.Duration.milliseconds(text) == milliseconds)
        guard let milliseconds else { return }
        let shown = navstate.Duration.text(milliseconds: milliseconds)
        #expect(navstate.Duration.milliseconds(shown) == milliseconds)
    }

    @Test(
        arguments: [
            ("64MiB", 64 << 20), ("1GiB", 1 << 30), ("32k", 32 << 10), ("4096", 4096), ("7B", 7),
            ("1.5M", nil), ("MiB", nil), ("99999999999999GiB", nil), ("\u{FF11}MiB", nil),
        ] as [(String, Int?)])
    func `sizes`(text: String, bytes: Int?) {
        #expect(Size.bytes(text) == bytes)
        if let bytes { #expect(Size.bytes(Size.text(bytes: bytes)) == bytes) }
    }
}
