import Foundation
import NavstateClient
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

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
    private var process = Process()
    private(set) var url: URL

    init(token: String? = nil) async throws {
        directory = try TemporaryDirectory()
        self.token = token
        url = try #require(URL(string: "http://127.0.0.1:0"))
        try await start()
    }

    deinit { if process.isRunning { end(SIGKILL) } }

    /// A client for this server that waits only briefly between attempts.
    func navstate(
        token: String? = nil, _ change: (inout Navstate.Configuration) -> Void = { _ in }
    ) -> Navstate {
        var configuration = Navstate.Configuration.quick
        change(&configuration)
        return Navstate(url: url, token: token ?? self.token, configuration: configuration)
    }

    /// Kills the process, as a power failure would.
    func kill() { end(SIGKILL) }

    /// Stops the process without ending it. It keeps its connections but sends nothing.
    func stall() { _ = signal(SIGSTOP) }

    /// Lets a stopped process continue.
    func resume() { _ = signal(SIGCONT) }

    /// Starts the server again, on the same port and with the same data.
    func restart(isolation: isolated (any Actor)? = #isolation) async throws { try await start() }

    private func signal(_ number: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.kill(process.processIdentifier, number)
        #else
            -1
        #endif
    }

    private func end(_ number: Int32) {
        _ = signal(number)
        // `waitUntilExit` would run other tasks of this thread in the meantime.
        while process.isRunning { Thread.sleep(forTimeInterval: 0.001) }
    }

    private func start(isolation: isolated (any Actor)? = #isolation) async throws {
        process = Process()
        process.executableURL = Self.executable
        let apps = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Examples/apps")
        process.arguments = [
            "--listen", "127.0.0.1:\(url.port ?? 0)", "--data", directory.path + "/data",
            "--apps", apps.path(),
        ]
        // The server refuses variables that it does not know, so the tests' own are not passed on.
        process.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("NAVSTATE_")
        }
        process.environment?["NAVSTATE_TOKEN"] = token
        let log = directory.path + "/output"
        try Data().write(to: URL(filePath: log))
        let output = try #require(FileHandle(forWritingAtPath: log))
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try await eventually { try self.isReady(log) }
    }

    /// Returns whether the server is listening. If another program has taken its port in the
    /// meantime, starts the server again.
    private func isReady(_ log: String) throws -> Bool {
        guard !process.isRunning else { return try readPort(log) }
        let text = try String(contentsOf: URL(filePath: log), encoding: .utf8)
        try #require(text.contains("the address is in use"), "the server has ended: \(text)")
        let output = try #require(FileHandle(forWritingAtPath: log))
        try output.truncate(atOffset: 0)
        process = again(output)
        try process.run()
        return false
    }

    private func again(_ output: FileHandle) -> Process {
        let next = Process()
        next.executableURL = process.executableURL
        next.arguments = process.arguments
        next.environment = process.environment
        next.standardOutput = output
        next.standardError = output
        return next
    }

    private func readPort(_ log: String) throws -> Bool {
        let text = try String(contentsOf: URL(filePath: log), encoding: .utf8)
        guard let begin = text.range(of: #""address":"http://127.0.0.1:"#) else { return false }
        let port = text[begin.upperBound...].prefix { $0.isNumber }
        url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        return true
    }
}

/// Waits until a condition holds. It gives up after a minute, which no test should need.
func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<6000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("what the test waits for has not happened")
}
