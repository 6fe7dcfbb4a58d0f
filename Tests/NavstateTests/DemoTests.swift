import API
import FoundationEssentials
import Navigation
import POSIX
import Server
import TestSupport
import Testing
import navstate

/// The output of the demo, and its content.
@Suite struct DemoTests {
    private func text(
        token: String? = nil, displayToken: String? = nil, hasCode: Bool = false
    ) -> DemoText {
        DemoText(
            origin: "http://127.0.0.1:4123", token: token, displayToken: displayToken,
            hasCode: hasCode, isTerminal: false)
    }

    @Test func `on this machine no token is needed`() {
        let demo = text()
        #expect(demo.console == "http://127.0.0.1:4123/#session=demo")
        #expect(demo.display == "http://127.0.0.1:4123/display#session=demo")
        #expect(demo.curlLines.count == 3)
        for line in demo.curlLines {
            #expect(line.hasPrefix("curl ") && !line.contains("Authorization"))
            #expect(line.contains("http://127.0.0.1:4123/v1/sessions/demo/"))
            #expect(demo.text.contains("\n  \(line)\n"))
        }
        #expect(!demo.text.contains("Scan"))
    }

    @Test func `on the network each has its own token, and the display a code`() {
        let demo = text(token: "admin-token", displayToken: "display-token", hasCode: true)
        // With a session in it, the console would hide the others.
        #expect(demo.console == "http://127.0.0.1:4123/#token=admin-token")
        #expect(
            demo.display == "http://127.0.0.1:4123/display#session=demo&token=display-token")
        for line in demo.curlLines {
            #expect(line.contains("-H 'Authorization: Bearer admin-token'"))
        }
        #expect(demo.text.contains("Scan this with a phone"))
        #expect(demo.text.contains("█"))
    }

    @Test func `the sample apps are those in the examples, and valid`() throws {
        let apps = EmbeddedDocument.apps
        let folder = HelpTests.root.appending(path: "Examples/apps").path()
        let files = try Directory.names(folder)
        #expect(apps.map { "\($0.id).json" } == files)
        for (id, document) in apps {
            #expect(try FileDescriptor.contents(of: "\(folder)/\(id).json") == document)
            let name = try #require(AppID(id))
            let app = try CheckedApp(document, named: name, limits: Limits())
            #expect(app.id == name && app.warnings.isEmpty)
        }
    }

    @Test(arguments: [
        (["demo", "--data", "x"], "--data makes no sense with demo"),
        (["demo", "--fsync=never"], "--fsync makes no sense with demo"),
        (["--lan"], "--lan is an option of navstate demo"),
        (["config", "--lan"], "--lan is an option of navstate demo"),
        (["demo", "--lan", "--listen", "8080"], "--lan needs an address on the network"),
        (["demo", "--listen", "unix:/run/n"], "the demo needs an address"),
        (["--port", "8080"], "unknown option --port (use --listen 8080)"),
        (["-p", "80"], "unknown option -p (use --listen 8080)"),
    ])
    func `options that make no sense are refused`(words: [String], message: String) {
        let result = CommandLine().run(words)
        #expect(result.code == .usage)
        #expect(result.errors.hasPrefix("navstate: \(message)"), "\(result.errors)")
    }

    @Test func `the help on the demo says what it does with the data`() throws {
        let text = try #require(Help.text("demo"))
        #expect(text.hasPrefix("navstate demo\n\n  Run a server with sample apps"))
        #expect(text.contains("QR code"))
        #expect(ManualPage.text.contains("$TMPDIR"))
    }
}

/// The addresses that people are told.
@Suite struct AddressTests {
    private func origin(_ texts: [String], onNetwork: Bool = false) throws -> String? {
        let addresses = try texts.map { try #require(ListenAddress($0)) }
        return Address.origin(addresses, onNetwork: onNetwork)
    }

    @Test func `a wildcard is localhost for this machine`() throws {
        #expect(try origin(["127.0.0.1:80"]) == "http://127.0.0.1:80")
        #expect(try origin(["0.0.0.0:80"]) == "http://localhost:80")
        #expect(try origin(["[::]:80"]) == "http://localhost:80")
        #expect(try origin(["unix:/run/n", "[::1]:80"]) == "http://[::1]:80")
        #expect(try origin(["unix:/run/n"]) == nil)
    }

    @Test func `on the network a wildcard is the address of this machine`() throws {
        let host = Socket.networkAddress ?? "localhost"
        #expect(try origin(["127.0.0.1:80", "0.0.0.0:81"], onNetwork: true) == "http://\(host):81")
        #expect(try origin(["10.0.0.1:80"], onNetwork: true) == "http://10.0.0.1:80")
        #expect(try origin(["127.0.0.1:80"], onNetwork: true) == "http://127.0.0.1:80")
        #expect(Socket.networkAddress != "0.0.0.0")
    }
}

/// The token that is made at the first start.
@Suite struct FirstTokenTests {
    @Test func `it is made once, in a file for its owner alone`() throws {
        let work = try TemporaryDirectory(on: .memory)
        let first = FirstToken(in: work.path + "/store")
        #expect(try !first.exists())
        let token = try #require(try first.make())
        #expect(token.count == 32)
        #expect(token.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
        #expect(try first.exists())
        #expect(try first.read() == Array("\(token)\n".utf8))
        let status = try #require(try Directory.status(first.path))
        #expect(status.mode & 0o777 == 0o600)
        #expect(try Directory.names(work.path + "/store") == ["first-token"])
        // Another process that starts at the same moment does not replace it.
        #expect(try first.make() == nil)
        #expect(try first.read() == Array("\(token)\n".utf8))
        #expect(try Directory.names(work.path + "/store") == ["first-token"])
    }

    @Test func `two of them differ`() throws {
        let work = try TemporaryDirectory(on: .memory)
        let tokens = try ["a", "b"].map { try FirstToken(in: "\(work.path)/\($0)").make() }
        #expect(tokens[0] != tokens[1])
    }

    @Test func `a directory that cannot be made exits with 73`() {
        let error = #expect(throws: ExitError.self) {
            try FirstToken(in: "/proc/nowhere/store").make()
        }
        #expect(error?.code == .cannotCreate)
        #expect(error?.message.contains("--data") == true)
    }

    @Test func `a file that is missing or has no token exits with 78`() throws {
        let work = try TemporaryDirectory(on: .memory)
        let first = FirstToken(in: work.path)
        var tokens = Tokens()
        let missing = #expect(throws: ExitError.self) {
            try AccessConfiguration.add(first, to: &tokens)
        }
        #expect(missing?.code == .configuration)
        try write(Array("two words\n".utf8), to: first.path)
        let wrong = #expect(throws: ExitError.self) {
            try AccessConfiguration.add(first, to: &tokens)
        }
        #expect(wrong?.code == .configuration)
        #expect(wrong?.message.contains("words") == false)
        #expect(tokens.isEmpty)
    }

    @Test func `it is for servers that have no token and are not open to everybody`() throws {
        func needs(_ words: String...) throws -> Bool {
            let invocation = try Invocation(words)
            let world = Resolution.World(environment: [:]) { _ throws(ExitError) in [] }
            let configuration = try Resolution(invocation.options, world).configuration
            return try configuration.needsFirstToken(besides: Tokens())
        }
        #expect(try !needs())
        #expect(try !needs("--first-token=none"))
        #expect(try needs("--first-token=make"))
        #expect(try !needs("--first-token=make", "--allow-anonymous"))
        var tokens = Tokens()
        try tokens.add(secret: Array("secret".utf8))
        var configuration = Configuration()
        configuration.access.makesFirstToken = true
        #expect(try !configuration.needsFirstToken(besides: tokens))
    }

    @Test func `a file that others may have chosen exits with 78`() throws {
        let work = try TemporaryDirectory(on: .memory)
        let first = FirstToken(in: work.path + "/store")
        let token = try #require(try first.make())
        for mode in ["666", "620", "602"] {
            try change(first.path, to: mode)
            let refused = #expect(throws: ExitError.self) { try first.read() }
            #expect(refused?.code == .configuration)
            #expect(refused?.message.contains("chmod 600") == true, "\(mode)")
        }
        for (mode, isReadable) in [("600", false), ("640", true), ("604", true)] {
            try change(first.path, to: mode)
            #expect(try first.read() == Array("\(token)\n".utf8))
            #expect(first.isReadableByOthers == isReadable, "\(mode)")
        }
        try Directory.rename(first.path, to: work.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: first.path, withDestinationPath: work.path + "/elsewhere")
        let linked = #expect(throws: ExitError.self) { try first.read() }
        #expect(linked?.message.contains("symbolic link") == true)
    }

    private func change(_ path: String, to mode: String) throws {
        let permissions = try #require(Int(mode, radix: 8))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
}
