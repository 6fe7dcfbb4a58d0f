import API
import Testing

@testable import Server

/// How a server ends, by a clock that the test sets.
@Suite struct LifecycleTests {
    private func server() throws -> (TestServer, Lifecycle) {
        let server = try TestServer {
            $0.drainMilliseconds = 3_000
            $0.stopMilliseconds = 5_000
        }
        return (server, Lifecycle(server.loop.parts))
    }

    private func advance(_ server: TestServer, _ milliseconds: Int64) {
        server.clock.advance(milliseconds: milliseconds)
        server.loop.parts.clock.tick()
    }

    @Test func `the first signal drains, and the time for that ends`() throws {
        var (server, life) = try server()
        let start = server.loop.parts.clock.now
        var begins = life.beginsToStop()
        #expect(life.deadline == nil && !begins)
        life.terminate()
        #expect(server.service.environment.isDraining)
        #expect(life.deadline == start + 3_000)
        advance(server, 2_999)
        begins = life.beginsToStop()
        #expect(!begins && !life.isOver)
        advance(server, 1)
        begins = life.beginsToStop()
        let beginsAgain = life.beginsToStop()
        #expect(begins && !beginsAgain && life.deadline == start + 8_000)
        life.stopIfDone()
        #expect(life.isOver && !life.hasFailed && life.deadline == nil)
    }

    @Test func `open connections are waited for, but not for ever`() throws {
        var (server, life) = try server()
        let client = try server.pair()
        life.terminate()
        advance(server, 3_000)
        let begins = life.beginsToStop()
        #expect(begins)
        advance(server, 4_999)
        life.stopIfDone()
        #expect(!life.isOver)
        advance(server, 1)
        life.stopIfDone()
        #expect(life.isOver && !life.hasFailed)
        withExtendedLifetime(client) {}
    }

    @Test func `the second signal stops at once`() throws {
        var (server, life) = try server()
        let client = try server.pair()
        life.terminate()
        life.terminate()
        #expect(life.isOver && !life.hasFailed)
        withExtendedLifetime(client) {}
    }

    @Test func `a failure of the disk stays one whatever follows`() throws {
        var (_, life) = try server()
        life.terminate()
        life.fail()
        #expect(life.isOver && life.hasFailed && life.deadline == nil)
        life.terminate()
        life.stopIfDone()
        let begins = life.beginsToStop()
        #expect(life.hasFailed && !begins)
    }

    @Test func `while draining, only readiness says that the server is about to stop`() throws {
        var (server, life) = try server()
        try server.makeSession("a")
        #expect(try server.ask(.get("/readyz")).statuses == [200])
        life.terminate()
        #expect(try server.ask(.get("/readyz")).statuses == [503])
        #expect(try server.ask(.get("/livez")).statuses == [200])
        let change = String.post("/v1/sessions/a/navigate", #"{"route":"r"}"#)
        #expect(try server.ask(change).statuses == [200])
    }
}
