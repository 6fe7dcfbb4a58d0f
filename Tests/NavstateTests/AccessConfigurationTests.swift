import API
import POSIX
import Server
import TestSupport
import Testing
import navstate

/// The access rules that follow from the options.
@Suite struct AccessConfigurationTests {
    private func policy(
        _ address: String, hosts: [String] = [], origins: [String] = [], isOpen: Bool
    ) throws -> RequestOriginPolicy {
        var configuration = Configuration()
        configuration.access.allowedHosts = hosts
        configuration.access.allowedOrigins = origins
        let listen = try #require(ListenAddress(address))
        return AccessConfiguration.originPolicy(for: [listen], configuration, isOpen: isOpen)
    }

    @Test func `without a token names are checked at every address`() throws {
        #expect(try policy("127.0.0.1:1", isOpen: true).otherHosts == .loopback)
        #expect(try policy("unix:/run/navstate", isOpen: true).otherHosts == .loopback)
        #expect(try policy("0.0.0.0:1", isOpen: true).otherHosts == .addresses)
        let named = try policy("0.0.0.0:1", hosts: ["NAV.example"], isOpen: true)
        #expect(named.otherHosts == .addresses)
        #expect(named.allowedHosts == ["nav.example"])
    }

    @Test func `with a token any name is accepted on other addresses, unless names are given`()
        throws
    {
        #expect(try policy("127.0.0.1:1", isOpen: false).otherHosts == .loopback)
        #expect(try policy("0.0.0.0:1", isOpen: false).otherHosts == .any)
        #expect(
            try policy("0.0.0.0:1", hosts: ["nav.example"], isOpen: false).otherHosts == .loopback)
    }

    @Test func `one address that is not loopback decides for all`() throws {
        let addresses = try ["127.0.0.1:1", "10.0.0.1:1"].map {
            try #require(ListenAddress($0))
        }
        let policy = AccessConfiguration.originPolicy(
            for: addresses, Configuration(), isOpen: false)
        #expect(policy.otherHosts == .any)
    }

    @Test func `allowed origins are compared in lower case`() throws {
        let policy = try policy("127.0.0.1:1", origins: ["https://App.Example"], isOpen: true)
        #expect(policy.allowedOrigins == ["https://app.example"])
    }

    // MARK: - Addresses and tokens

    private func refusal(
        _ listen: [String], token: String? = nil, allowAnonymous: Bool = false
    ) throws -> ExitError? {
        var configuration = Configuration()
        configuration.listen = try listen.map { try #require(ListenAddress($0)) }
        configuration.access.token = token
        configuration.access.allowAnonymous = allowAnonymous
        let tokens = try AccessConfiguration.tokens(configuration)
        do throws(ExitError) {
            try AccessConfiguration.check(configuration, tokens)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["127.0.0.1:80", "[::1]:80", "unix:/run/n"])
    func `loopback may be served without a token`(address: String) throws {
        #expect(try refusal([address]) == nil)
    }

    @Test(arguments: ["0.0.0.0:80", "[::]:80", "192.168.0.1:80"])
    func `other addresses need a token or an explicit option`(address: String) throws {
        let error = try #require(try refusal(["127.0.0.1:80", address]))
        #expect(error.code == .usage)
        #expect(error.message.hasPrefix("\(address) is not a loopback address"))
        for choice in ["NAVSTATE_TOKEN", "--token-file", "--allow-anonymous"] {
            #expect(error.message.contains(choice))
        }
        #expect(try refusal([address], token: Self.secret) == nil)
        #expect(try refusal([address], allowAnonymous: true) == nil)
    }

    private static let secret = String(repeating: "s3cret", count: 8)

    // MARK: - Tokens

    private func tokens(file text: String?, token: String? = nil) throws -> Tokens {
        var configuration = Configuration()
        configuration.access.token = token
        guard let text else { return try AccessConfiguration.tokens(configuration) }
        let directory = try TemporaryDirectory(on: .memory)
        let path = directory.path + "/tokens"
        try write(Array(text.utf8), to: path)
        configuration.access.tokenFile = path
        return try AccessConfiguration.tokens(configuration)
    }

    @Test func `without options there are no tokens`() throws {
        #expect(try tokens(file: nil).isEmpty)
    }

    @Test func `a token file without tokens exits with 78, because it would open the server`() {
        let error = #expect(throws: ExitError.self) { try tokens(file: "# none\n") }
        #expect(error?.code == .configuration)
    }

    @Test func `tokens come from the file and from the variable`() throws {
        let file = "# for the display\n\n\(Self.secret)a read\n\(Self.secret)b control\n"
        #expect(try tokens(file: file).count == 2)
        #expect(try tokens(file: file, token: Self.secret).count == 3)
        #expect(try tokens(file: nil, token: Self.secret).count == 1)
    }

    @Test(arguments: ["nonsense", "two words more", "token everything"])
    func `a mistake in the file exits with 78 and does not show the token`(line: String) throws {
        let error = #expect(throws: ExitError.self) {
            try tokens(file: "\(Self.secret) admin\n\(line)\n")
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.hasPrefix("--token-file /") == true)
        #expect(error?.message.contains("2") == true, "the line is named")
        #expect(error?.message.contains(Self.secret) == false)
    }

    @Test func `a token file that is missing exits with 78`() {
        var configuration = Configuration()
        configuration.access.tokenFile = "/nowhere/tokens"
        let error = #expect(throws: ExitError.self) {
            try AccessConfiguration.tokens(configuration)
        }
        #expect(error?.code == .configuration)
        #expect(error?.message == "--token-file /nowhere/tokens: No such file or directory")
    }
}
