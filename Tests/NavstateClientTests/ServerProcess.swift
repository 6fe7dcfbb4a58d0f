import Foundation
import NavstateClient
import TestSupport
import Testing

/// A real server: the executable that was built for the tests, running as a separate process.
final class ServerProcess {
    private static let executable = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "navstate")

    /// Whether the executable was built. In the gate, tests fail without it.
    static var exists: Bool {
        ProcessInfo.processInfo.environment["NAVSTATE_REQUIRES_SERVER"] != nil
            || FileManager.default.isExecutableFile(atPath: executable.path())
    }

    private let directory: TemporaryDirectory
    private let token: String?
    private var process: ChildProcess?
    private(set) var url: URL

    init(token: String? = nil) async throws {
        directory = try TemporaryDirectory()
        self.token = token
        url = try #require(URL(string: "http://127.0.0.1:0"))
        try await start()
    }

    deinit { process?.kill() }

    /// A client for this server that waits only briefly between attempts.
    func navstate(
        token: String? = nil, _ change: (inout Navstate.Configuration) -> Void = { _ in }
    ) -> Navstate {
        var configuration = Navstate.Configuration.quick
        change(&configuration)
        return Navstate(url: url, token: token ?? self.token, configuration: configuration)
    }

    /// Kills the process, as a power failure would.
    func kill() { process?.kill() }

    /// Stops the process without ending it. It keeps its connections but sends nothing.
    func stall() { process?.stop() }

    /// Lets a stopped process continue.
    func resume() { process?.resume() }

    /// Starts the server again, on the same port and with the same data.
    func restart(isolation: isolated (any Actor)? = #isolation) async throws { try await start() }

    private var log: String { directory.path + "/output" }

    private func start(isolation: isolated (any Actor)? = #isolation) async throws {
        process = try launch()
        try await eventually { try self.isReady() }
    }

    private func launch() throws -> ChildProcess {
        let apps = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Examples/apps")
        // The server refuses variables that it does not know, so the tests' own are not passed on.
        var environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("NAVSTATE_")
        }
        environment["NAVSTATE_TOKEN"] = token
        return try ChildProcess(
            Self.executable.path(),
            arguments: [
                "--listen", "127.0.0.1:\(url.port ?? 0)", "--data", directory.path + "/data",
                "--apps", apps.path(),
            ], environment: environment, output: log)
    }

    /// Returns whether the server is listening. If another program has taken its port in the
    /// meantime, starts the server again.
    private func isReady() throws -> Bool {
        if process?.isRunning == true { return try readPort() }
        let text = try String(contentsOfFile: log, encoding: .utf8)
        try #require(text.contains("the address is in use"), "the server has ended: \(text)")
        process = try launch()
        return false
    }

    private func readPort() throws -> Bool {
        let text = try String(contentsOfFile: log, encoding: .utf8)
        guard let begin = text.range(of: #""address":"http://127.0.0.1:"#) else { return false }
        let port = text[begin.upperBound...].prefix { $0.isNumber }
        url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        return true
    }
}

/// Waits until a condition holds.
func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<waitMilliseconds / 10 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("what the test waits for has not happened")
}
