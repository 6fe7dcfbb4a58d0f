import Glibc
import POSIX
import Server
import Storage
import TestSupport
import Testing
import navstate

/// Addresses: their text, what reaches them, and the sockets that are bound to them.
@Suite struct ListenersTests {
    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080"), ("8080", "127.0.0.1:8080"), ("0", "127.0.0.1:0"),
            (":8080", "0.0.0.0:8080"), ("*:8080", "0.0.0.0:8080"),
            ("localhost:80", "127.0.0.1:80"), ("[::1]:8080", "[::1]:8080"), ("[::]:1", "[::]:1"),
            ("10.0.0.1:65535", "10.0.0.1:65535"), ("unix:/run/n.sock", "unix:/run/n.sock"),
            ("unix:relative", "unix:relative"), ("[0:0:0:0:0:0:0:1]:1", "[::1]:1"),
            ("", nil), (":", nil), ("127.0.0.1:", nil), ("127.0.0.1:65536", nil),
            ("127.0.0.1:-1", nil), ("127.0.0.1:+1", nil), ("127.0.0.1: 1", nil),
            ("example.org:80", nil), ("::1", nil), ("[::1]", nil), ("[]:1", nil), ("[g]:1", nil),
            ("256.0.0.1:80", nil), ("1.2.3:80", nil), ("127.1:80", nil), ("127.0.0.01:80", nil),
            ("[1::2::3]:80", nil), ("[::1%lo]:80", nil),
            ("unix:", nil), ("unix:a\0b", nil), ("\u{FF11}:80", nil),
        ] as [(String, String?)])
    func `an address is written as it is understood`(text: String, expected: String?) {
        #expect(ListenAddress(text)?.description == expected)
    }

    @Test func `a path of a Unix socket has at most 107 bytes`() {
        let longest = String(repeating: "a", count: 107)
        #expect(ListenAddress("unix:" + longest)?.path == longest)
        #expect(ListenAddress("unix:a" + longest) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("unix:/a", true),
        ("[0:0:0:0:0:0:0:1]:1", true),
        ("0.0.0.0:1", false), ("[::]:1", false), ("10.0.0.1:1", false),
    ])
    func `loopback addresses and Unix sockets are reached from this machine only`(
        text: String, isLoopback: Bool
    ) throws {
        #expect(try #require(ListenAddress(text)).isLoopback == isLoopback)
    }

    @Test(arguments: [
        ("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("10.0.0.1:80", "10.0.0.1:80"),
        ("unix:/a", "unix:/a"),
    ])
    func `a client on this machine reaches a wildcard address by loopback`(
        text: String, reachable: String
    ) throws {
        #expect(try #require(ListenAddress(text)).reachable.description == reachable)
    }

    // MARK: - Binding

    private func configuration(_ addresses: [String], metrics: String? = nil) throws
        -> Configuration
    {
        var configuration = Configuration()
        configuration.listen = try addresses.map { try #require(ListenAddress($0)) }
        configuration.metricsListen = metrics.flatMap { ListenAddress($0) }
        return configuration
    }

    @Test func `port 0 is replaced by the port that the kernel chose`() throws {
        var configuration = try configuration(["127.0.0.1:0", "[::1]:0"], metrics: "127.0.0.1:0")
        let listeners = try Listeners.open(&configuration)
        #expect(listeners.count == 3)
        #expect(listeners.map(\.isForMetrics) == [false, false, true])
        let metrics = try #require(configuration.metricsListen)
        let addresses = configuration.listen + [metrics]
        #expect(addresses.allSatisfy { $0.isFixed })
        for (listener, address) in zip(listeners, addresses) {
            #expect(try Socket.port(of: listener.descriptor) == address.port)
        }
    }

    @Test func `an address in use exits with 69 and says so`() throws {
        var first = try configuration(["127.0.0.1:0"])
        let listeners = try Listeners.open(&first)
        #expect(listeners.count == 1)
        let error = #expect(throws: ExitError.self) {
            var second = first
            _ = try Listeners.open(&second)
        }
        #expect(error?.code == .unavailable)
        let address = try #require(first.listen.first)
        #expect(
            error?.message == "cannot listen on \(address): the address is in use; "
                + "choose another one with --listen")
    }

    @Test func `a Unix socket is a file until its listener removes it`() throws {
        let directory = try TemporaryDirectory(on: .memory)
        var configuration = try configuration(["unix:\(directory.path)/n.sock"])
        let listeners = try Listeners.open(&configuration)
        #expect(listeners.count == 1)
        #expect(try Directory.names(directory.path) == ["n.sock"])
        listeners.first?.removeFile()
        #expect(try Directory.names(directory.path).isEmpty)
    }

    @Test func `a listener does not remove the socket of its successor`() throws {
        let directory = try TemporaryDirectory(on: .memory)
        var configuration = try configuration(["unix:\(directory.path)/n.sock"])
        let first = try Listeners.open(&configuration)
        try Directory.remove("\(directory.path)/n.sock")
        let second = try Listeners.open(&configuration)
        first.first?.removeFile()
        #expect(try Directory.names(directory.path) == ["n.sock"])
        second.first?.removeFile()
        #expect(try Directory.names(directory.path).isEmpty)
    }

    enum OtherFile: CaseIterable {
        case regular, link, pipe
    }

    @Test(arguments: OtherFile.allCases)
    func `a file that is no socket is not replaced by one`(kind: OtherFile) throws {
        let directory = try TemporaryDirectory(on: .memory)
        let path = "\(directory.path)/n.sock"
        switch kind {
        case .regular: _ = try FileDescriptor.open(path, [.writeOnly, .create])
        case .link: #expect(unsafe symlink("missing", path) == 0)
        case .pipe: #expect(unsafe mkfifo(path, 0o600) == 0)
        }
        let before = try #require(try Directory.status(path))
        var configuration = try configuration(["unix:\(path)"])
        let error = #expect(throws: ExitError.self) { _ = try Listeners.open(&configuration) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("another file has this path") == true)
        #expect(try Directory.status(path) == before)
    }

    @Test func `the option is named whose address is in use`() throws {
        var first = try configuration(["127.0.0.1:0"])
        let listeners = try Listeners.open(&first)
        let taken = try #require(first.listen.first)
        var second = try configuration(["127.0.0.1:0"], metrics: taken.description)
        let error = #expect(throws: ExitError.self) { _ = try Listeners.open(&second) }
        #expect(error?.message.hasSuffix("choose another one with --metrics-listen") == true)
        withExtendedLifetime(listeners) {}
    }

    @Test func `a Unix socket in a missing directory exits with 69`() throws {
        let directory = try TemporaryDirectory(on: .memory)
        var configuration = try configuration(["unix:\(directory.path)/missing/n.sock"])
        let error = #expect(throws: ExitError.self) { _ = try Listeners.open(&configuration) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.hasSuffix("No such file or directory") == true)
    }

    @Test func `without LISTEN_FDS no sockets are inherited`() throws {
        #expect(try ServiceManager.inheritedSockets().isEmpty)
    }
}

/// The overview that serve prints.
@Suite struct BannerTests {
    private func lines(
        _ listen: [String], metrics: String? = nil, sessions: Int = 0, apps: Int = 0,
        tokens: Int = 0
    ) throws -> [String] {
        var configuration = Configuration()
        configuration.listen = try listen.map { try #require(ListenAddress($0)) }
        configuration.metricsListen = metrics.flatMap { ListenAddress($0) }
        configuration.store.path = "/data"
        let banner = Banner(sessions: sessions, apps: apps, tokens: tokens)
        return banner.text(for: configuration).split(separator: "\n").map(String.init)
    }

    @Test func `the banner is a map of the URLs`() throws {
        #expect(
            try lines(["127.0.0.1:8080"]) == [
                "navstate \(Version.text)",
                "  sessions  http://127.0.0.1:8080/v1/sessions",
                "  console   http://127.0.0.1:8080/",
                "  API       http://127.0.0.1:8080/docs",
                "  metrics   http://127.0.0.1:8080/metrics",
                "  access    no token needed",
                "  data      /data (0 sessions, 0 apps)",
                "  stop      Ctrl-C",
            ])
    }

    @Test func `further addresses are listed`() throws {
        let lines = try lines(["8080", "[::1]:9090", "unix:/run/n.sock"])
        #expect(lines[1] == "  sessions  http://127.0.0.1:8080/v1/sessions")
        #expect(lines[2] == "  also      http://[::1]:9090")
        #expect(lines[3] == "  also      --unix-socket /run/n.sock http://localhost")
        #expect(lines.count == 10)
    }

    @Test func `metrics at their own address have their own URL`() throws {
        let lines = try lines(["8080"], metrics: "9100")
        #expect(lines.contains("  metrics   http://127.0.0.1:9100/metrics"))
    }

    @Test(arguments: [
        (1, "1 session, 1 app", "1 token"), (2, "2 sessions, 2 apps", "2 tokens"),
    ])
    func `numbers have the right plural`(count: Int, contents: String, access: String) throws {
        let lines = try lines(["8080"], sessions: count, apps: count, tokens: count)
        #expect(lines.contains("  data      /data (\(contents))"))
        #expect(lines.contains("  access    \(access)"))
    }
}
