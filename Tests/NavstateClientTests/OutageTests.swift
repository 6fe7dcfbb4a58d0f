import Foundation
import Testing

@testable import NavstateClient

/// A real server that is killed, stalls, and revokes tokens.
@Suite(.enabled(if: ServerProcess.exists, "The executable was not built."), .serialized)
struct OutageTests {
    @Test func `nothing is lost or repeated when the server is killed`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k"))
        let count = 60
        let follower = Task {
            var last = 0
            for try await change in session.changes() {
                #expect(change.revision > last)
                #expect(change.revision == last + 1 || last == 0 || change.hasGap)
                #expect(change.session.revision == change.revision)
                last = change.revision
                if last == count + 1 { break }
            }
            return last
        }
        let writer = Task {
            for number in 1...count {
                let params: JSONValue = ["n": .integer(Int64(number))]
                let result = try await session.navigate(to: Nav.Destination("r", params: params))
                #expect(result.session.revision == number + 1)
            }
        }
        for revision in [10, 25, 40] {
            try await eventually { try await session.state().revision >= revision }
            server.kill()
            try await server.restart()
        }
        try await writer.value
        #expect(try await follower.value == count + 1)
        let path = try await session.state().path(of: "main")
        #expect(path?.compactMap { $0.params["n"]?.integer } == Array(1...count))
    }

    @Test func `a server that stalls is noticed`() async throws {
        let server = try await ServerProcess()
        let patient = try await server.navstate().create(NewSession(id: "k"))
        let hasty = server.navstate {
            $0.timeout = .milliseconds(200)
            $0.silenceLimit = .seconds(1)
            $0.retries = 1
        }
        var items = server.navstate { $0.silenceLimit = .seconds(1) }.session("k").items()
            .makeAsyncIterator()
        #expect(try await items.next() == .live)
        server.stall()
        await #expect(throws: NavstateError.timedOut) {
            try await hasty.session("k").navigate(to: "r")
        }
        // The stream notices by itself that nothing is arriving.
        while let item = try await items.next(), item != .waiting(.timedOut) {}
        let change = Task { try await patient.navigate(to: "late") }
        server.resume()
        let revision = try await change.value.session.revision
        var seen = 0
        while seen < revision, let item = try await items.next() {
            guard case .event(let event) = item else { continue }
            switch event {
            case .snapshot(let change), .change(let change): seen = change.revision
            case .hello, .watchers, .signal, .ended: break
            }
        }
        #expect(seen >= revision)
        let path = try await patient.state().path(of: "main")
        // A request that was given up may have been carried out, but only once.
        #expect(path?.map(\.route).filter { $0 == "late" } == ["late"])
        #expect(path?.count ?? 0 <= 2)
    }

    @Test func `revoking a token ends its stream`() async throws {
        let server = try await ServerProcess(token: "a-token-that-is-long-enough-for-the-server")
        let session = try await server.navstate().create(NewSession(id: "k"))
        let token = try await session.createToken(.read)
        let reader = server.navstate(token: token.token).session("k")
        var count = 0
        do throws(NavstateError) {
            for try await _ in reader.changes() {
                count += 1
                try await session.revokeToken(token.id)
                try await session.navigate(to: "secret")
            }
            Issue.record("the stream has ended without an error")
        } catch {
            #expect(error.problem?.status == 401)
        }
        #expect(count == 1)
    }

    @Test func `a client follows a hundred sessions at once`() async throws {
        let server = try await ServerProcess()
        let navstate = server.navstate()
        let last = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let session = try await navstate.create(NewSession(id: "s\(number)"))
                    async let seen = Self.follow(session, to: 6)
                    for _ in 0..<5 { try await session.navigate(to: "r") }
                    return try await seen
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(last == Array(repeating: 6, count: 100))
        var ended = 0
        let names = (0..<100).map { "s\($0)" }
        for try await event in navstate.events(of: names) {
            switch event {
            case .snapshot(let change): try await navstate.session(change.session.id).delete()
            case .ended: ended += 1
            case .hello, .change, .watchers, .signal: break
            }
        }
        #expect(ended == 100)
    }

    private static func follow(_ session: RemoteSession, to last: Int) async throws -> Int {
        var seen = 0
        for try await change in session.changes() {
            #expect(change.revision > seen && !change.hasGap)
            seen = change.revision
            if seen == last { break }
        }
        return seen
    }
}
