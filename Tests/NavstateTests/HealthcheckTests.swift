import POSIX
import Server
import TestSupport
import Testing
import navstate

/// The verb healthcheck against sockets of the test.
@Suite struct HealthcheckTests {
    let program = CommandLine()

    private func check(_ response: String) throws -> (CommandLine.Result, port: UInt16) {
        let server = try ScriptedServer(response)
        let result = program.run("healthcheck", "--listen", "\(server.port)")
        #expect(server.join().first?.hasPrefix("GET /readyz HTTP/1.1\r\n") == true)
        return (result, server.port)
    }

    @Test func `a server that is ready is healthy`() throws {
        let (result, _) = try check("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(result.code == .success, "\(result.errors)")
        #expect(result.output == "ok\n")
    }

    @Test(arguments: [
        ("HTTP/1.1 503 Service Unavailable\r\n\r\n", "HTTP/1.1 503 Service Unavailable"),
        ("HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 2000 OK"),
        ("SSH-2.0-x\r\n", "SSH-2.0-x"),
        ("", ""),
    ])
    func `any other response is unhealthy and shown`(response: String, line: String) throws {
        let (result, port) = try check(response)
        #expect(result.code == .unhealthy)
        #expect(result.errors == "navstate: 127.0.0.1:\(port) is not ready: \(line)\n")
        #expect(result.output.isEmpty)
    }

    @Test func `a Unix socket is asked as well`() throws {
        let directory = try TemporaryDirectory(on: .memory)
        let path = directory.path + "/n.sock"
        let listener = try Socket.listen(path: path)
        let server = try ScriptedServer("HTTP/1.1 200 OK\r\n\r\n", at: listener)
        let result = program.run("healthcheck", "--listen", "unix:\(path)")
        server.join()
        #expect(result.output == "ok\n", "\(result.errors)")
    }

    @Test func `the address may come from the environment`() throws {
        let directory = try TemporaryDirectory(on: .memory)
        let program = CommandLine(environment: ["NAVSTATE_LISTEN": "unix:\(directory.path)/n"])
        let result = program.run("healthcheck")
        #expect(result.code == .unhealthy)
        #expect(result.errors.contains("unix:\(directory.path)/n does not respond"))
    }

    @Test func `a port that nobody listens on does not respond`() throws {
        let listener = try Socket.listen(address: "127.0.0.1", port: 0)
        let port = try Socket.port(of: listener)
        // The port was free a moment ago; connecting to a closed one is refused at once.
        _ = consume listener
        let result = program.run("healthcheck", "--listen", "\(port)")
        #expect(result.code == .unhealthy)
        #expect(result.errors.hasPrefix("navstate: 127.0.0.1:\(port) does not respond: "))
    }

    @Test func `a port that is not fixed cannot be checked`() {
        let result = program.run("healthcheck", "--listen", "0")
        #expect(result.code == .usage)
        #expect(
            result.errors == "navstate: --listen 127.0.0.1:0 has no fixed port; "
                + "set one for the health check\n")
    }

    @Test func `while the store is loading the server is not ready`() throws {
        let listener = Listener(try Socket.listen(address: "127.0.0.1", port: 0))
        let port = try Socket.port(of: listener.descriptor)
        let (signals, sender) = try Socket.pair()
        let responder = try StartupResponder([listener], signals: signals)
        let result = program.run("healthcheck", "--listen", "\(port)")
        #expect(responder.close() == nil)
        withExtendedLifetime(sender) {}
        #expect(result.code == .unhealthy)
        #expect(result.errors.contains("is not ready: HTTP/1.1 503 "), "\(result.errors)")
    }
}
