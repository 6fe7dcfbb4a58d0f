import Foundation
import TestSupport
import Testing

@testable import NavstateClient

/// Requests that are sent, repetitions, and errors that are thrown.
@Suite struct RequestTests {
    @Test func `a change without a response is retried with the same key`() async throws {
        let transport = ScriptedTransport([
            .failure(.networkConnectionLost), .answer(503, [:], "a page of a proxy"),
            Sent.problem(429, "too-many-requests"), .answer(200, [:], Sent.result(2)),
        ])
        let session = try transport.navstate().session("k")
        #expect(try await session.back().session.revision == 2)
        let requests = await transport.requests
        #expect(requests.count == 4)
        #expect(Set(requests.map { $0.fields["Idempotency-Key"] }).count == 1)
        #expect(requests[0].fields["Idempotency-Key"]?.isEmpty == false)
        #expect(Set(requests).count == 1)
    }

    @Test func `each change has its own key`() async throws {
        let answer = ScriptedTransport.Response.answer(200, [:], Sent.result(2))
        let transport = ScriptedTransport([answer, answer])
        let session = try transport.navstate().session("k")
        try await session.back()
        try await session.back()
        #expect(Set(await transport.requests.map { $0.fields["Idempotency-Key"] }).count == 2)
    }

    @Test func `a request has the method, path, fields and body of its call`() async throws {
        let transport = ScriptedTransport([.answer(200, [:], Sent.result(2))])
        let session = try transport.navstate(token: "secret").session("a b/c")
        let options = ChangeOptions(
            ifMatch: "\"7\"", idempotencyKey: "mine", isDryRun: true, isStrict: true)
        try await session.navigate(to: "r", options: options)
        let request = try #require(await transport.requests.first)
        let path = "http://127.0.0.1:1/base/v1/sessions/a%20b%2Fc/navigate?dryRun=true"
        #expect(request.url.absoluteString == path)
        #expect(request.method == "POST")
        let fields = [
            "Authorization": "Bearer secret", "Idempotency-Key": "mine", "If-Match": "\"7\"",
            "Prefer": "handling=strict", "Content-Type": "application/json",
        ]
        #expect(request.fields == fields)
        let body = try JSONDecoder().decode(JSONValue.self, from: try #require(request.body))
        #expect(body == ["route": "r"])
    }

    @Test func `the error is thrown after the last attempt`() async throws {
        let transport = ScriptedTransport(
            Array(repeating: .failure(.cannotConnectToHost), count: 4))
        let session = try transport.navstate().session("k")
        await #expect { try await session.back() } throws: { error in
            guard case NavstateError.unreachable = error else { return false }
            return true
        }
    }

    @Test func `the delay that the server asks for is part of the problem`() async throws {
        let fields = ["retry-after": "7", "content-type": "application/problem+json"]
        let text = #"{"type":"/problems/store-unavailable","status":503}"#
        let transport = ScriptedTransport(
            Array(repeating: .answer(503, fields, text), count: 4))
        let session = try transport.navstate().session("k")
        do throws(NavstateError) {
            try await session.back()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.problem?.code == "store-unavailable")
            #expect(error.problem?.retryAfterSeconds == 7)
        }
        #expect(await transport.requests.count == 4)
    }

    @Test func `no retry is made before the delay that the server asks for`() async throws {
        func busy(_ seconds: String) -> ScriptedTransport.Response {
            .answer(503, ["retry-after": seconds], "busy")
        }
        let transport = ScriptedTransport([busy("7"), .answer(200, [:], Sent.result(2))])
        #expect(try await transport.navstate().session("k").back().changed)
        let pauses = await transport.pauses
        #expect(pauses.count == 1)
        #expect(pauses.allSatisfy { $0 >= .seconds(7) })
        // This is longer than a caller should wait, so the error is thrown at once.
        let closed = ScriptedTransport([busy("16")])
        let session = try closed.navstate().session("k")
        await #expect { try await session.back() } throws: { error in
            (error as? NavstateError)?.problem?.retryAfterSeconds == 16
        }
        #expect(await closed.pauses.isEmpty)
        let stream = ScriptedTransport([
            busy("100"), .stream([Sent.snapshot(1, id: 1)]), .silence,
        ])
        for try await _ in try stream.navstate().session("k").changes() { break }
        #expect(await stream.pauses.allSatisfy { $0 >= .seconds(100) })
    }

    @Test func `a problem without a status gets the status of its response`() async throws {
        let fields = ["content-type": "application/problem+json"]
        let transport = ScriptedTransport([.answer(409, fields, #"{"type":"/problems/x"}"#)])
        await #expect { try await transport.navstate().session("k").back() } throws: { error in
            let problem = (error as? NavstateError)?.problem
            return problem?.code == "x" && problem?.status == 409
        }
    }

    @Test func `printing a value does not reveal a token`() async throws {
        let text = #"{"id":"t1","token":"hush","scope":"read","createdAt":"2026-11-21T10:00:00Z"}"#
        let transport = ScriptedTransport([.answer(200, [:], text)])
        let navstate = try transport.navstate(token: "secret")
        let token = try await navstate.session("k").createToken(.read)
        #expect(token.token == "hush")
        let request = try #require(await transport.requests.first)
        #expect(request.fields["Authorization"] == "Bearer secret")
        for value in [navstate, navstate.session("k"), token, request] as [any Sendable] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, "\(value)", String(reflecting: value), "\([value])"] {
                #expect(!text.contains("secret") && !text.contains("hush"))
            }
        }
    }

    @Test func `all clients share a URL session`() throws {
        let transports = [Navstate.Configuration(), Navstate.Configuration()]
            .compactMap { $0.transport as? URLSessionTransport }
        #expect(transports.count == 2)
        #expect(transports.first?.session === transports.last?.session)
    }

    @Test(arguments: [400, 401, 403, 404, 409, 410, 412, 422, 500, 507])
    func `a refused request is not retried`(status: Int) async throws {
        let transport = ScriptedTransport([Sent.problem(status, "some-problem")])
        let session = try transport.navstate().session("k")
        do throws(NavstateError) {
            try await session.back()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.problem?.status == status)
            #expect(error.problem?.code == "some-problem")
        }
    }

    @Test func `a request that takes too long is abandoned and retried`() async throws {
        let transport = ScriptedTransport([.silence, .answer(200, [:], Sent.result(2))])
        let session = try transport.navstate(hasLimit: true).session("k")
        #expect(try await session.back().changed)
        let silent = ScriptedTransport(Array(repeating: .silence, count: 4))
        let other = try silent.navstate(hasLimit: true).session("k")
        await #expect(throws: NavstateError.timedOut) { try await other.back() }
    }

    @Test func `a cancelled task ends its request`() async throws {
        let transport = ScriptedTransport([.silence])
        let session = try transport.navstate().session("k")
        let task = Task {
            _ = await #expect(throws: NavstateError.cancelled) { try await session.back() }
        }
        while await transport.requests.isEmpty { await Task.yield() }
        task.cancel()
        await task.value
    }

    @Test func `creating a token is not retried`() async throws {
        let transport = ScriptedTransport([.failure(.networkConnectionLost)])
        let session = try transport.navstate().session("k")
        await #expect(throws: NavstateError.self) { try await session.createToken(.read) }
        #expect(await transport.requests.count == 1)
    }

    @Test func `a retried deletion that finds nothing has succeeded`() async throws {
        let gone = Sent.problem(404, "session-not-found")
        let transport = ScriptedTransport([.failure(.networkConnectionLost), gone])
        try await transport.navstate().session("k").delete()
        let other = try ScriptedTransport([gone]).navstate().session("k")
        await #expect(throws: NavstateError.self) { try await other.delete() }
    }

    @Test func `a response that violates the contract is an error`() async throws {
        for text in ["", "{", "[]", #"{"changed":true}"#] {
            let session = try ScriptedTransport([.answer(200, [:], text)]).navstate().session("k")
            await #expect { try await session.back() } throws: { error in
                guard case NavstateError.unexpected = error else { return false }
                return true
            }
        }
    }

    @Test(.seeded) func `the delay before a retry doubles, is random, and respects the server`() {
        var random = SplitMix64(stream: 77)
        let backoff = Backoff()
        for _ in 0..<200 {
            for (attempt, most) in [(1, 500), (2, 1000), (3, 2000), (10, 15_000), (99, 15_000)] {
                let time = backoff.milliseconds(
                    attempt: attempt, askedSeconds: nil, random: &random)
                #expect((most / 2...most).contains(time))
            }
            let asked = (0..<8).map { _ in
                backoff.milliseconds(attempt: 1, askedSeconds: 7, random: &random)
            }
            #expect(asked.allSatisfy { (7000...7250).contains($0) })
            // This is random too, so that clients do not all come back at once.
            #expect(Set(asked).count > 1)
            for odd in [-1, 0, .min] {
                let time = backoff.milliseconds(attempt: 1, askedSeconds: odd, random: &random)
                #expect((250...500).contains(time))
            }
            let long = backoff.milliseconds(attempt: 1, askedSeconds: .max, random: &random)
            #expect((3_600_000...3_600_250).contains(long))
        }
    }
}
