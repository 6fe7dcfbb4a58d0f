import Foundation
import NavstateTesting
import Testing

@testable import NavstateClient

/// The server of a test answers as a real one does, as far as it goes.
@MainActor @Suite struct TestServerTests {
    private let test: TestSession<Store.Screen>
    private var other: RemoteSession { test.other }

    init() throws { test = try TestSession() }

    private func expect(
        _ code: String, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation,
        _ call: () async throws -> Void
    ) async {
        let problem = await expectProblem(code, sourceLocation: sourceLocation, call)
        #expect(problem?.status == status, sourceLocation: sourceLocation)
        #expect(problem?.detail.isEmpty == false, sourceLocation: sourceLocation)
    }

    private func page(_ number: Int) -> Nav.Command {
        .navigate(to: Nav.Destination("page", params: ["n": .integer(Int64(number))]))
    }

    @Test func `a key belongs to one change`() async throws {
        let options = ChangeOptions(idempotencyKey: "mine")
        let first = try await other.perform(page(1), options: options)
        #expect(try await other.perform(page(1), options: options) == first)
        #expect(first.session.revision == 2)
        await expect("idempotency-key-reused", 422) {
            try await other.perform(page(2), options: options)
        }
        await expect("idempotency-key-reused", 422) {
            try await other.update(labels: ["a": "b"], options: options)
        }
        let dry = ChangeOptions(idempotencyKey: "mine", isDryRun: true)
        #expect(try await other.perform(page(2), options: dry).session.revision == 3)
        #expect(test.server.path(of: "shop") == ["page"])
    }

    @Test func `preconditions are those of HTTP`() async throws {
        let (state, etag) = try await other.taggedState()
        await expect("revision-mismatch", 412) { try await other.restore(state, onlyCreates: true) }
        try await other.perform(page(1), options: ChangeOptions(ifMatch: "*"))
        await expect("revision-mismatch", 412) {
            try await other.perform(page(2), options: ChangeOptions(ifMatch: etag))
        }
        let list = ChangeOptions(ifMatch: "\"x\", \(etag),\"2\"")
        #expect(try await other.perform(page(2), options: list).session.revision == 3)
        #expect(test.server.path(of: "shop") == ["page", "page"])
    }

    @Test func `there is one session, and one app`() async throws {
        let missing = other.navstate.session("other")
        await expect("session-not-found", 404) { _ = try await missing.state() }
        await expect("session-not-found", 404) { try await missing.perform(page(1)) }
        await expect("session-not-found", 404) { for try await _ in missing.changes() {} }
        await expect("app-not-found", 404) { _ = try await other.navstate.app("other") }
        #expect(try await other.navstate.app("store")["title"] == "Store")
    }

    @Test func `the history has pages`() async throws {
        for number in 1...5 { try await other.perform(page(number)) }
        let newest = try await other.history(limit: 2)
        #expect(newest.history.map(\.revision) == [6, 5] && newest.next == 5)
        let older = try await other.history(limit: 2, before: newest.next)
        #expect(older.history.map(\.revision) == [4, 3] && older.next == 3)
        let oldest = try await other.history(limit: 2, before: older.next)
        #expect(oldest.history.map(\.revision) == [2] && oldest.next == nil)
        #expect(try await other.history(before: 2).history.isEmpty)
        #expect(try await other.history().history.count == 5)
        await expect("invalid-request", 422) { _ = try await other.history(limit: 0) }
    }

    @Test func `a session is deleted once, and created again`() async throws {
        try await other.perform(page(1))
        let state = try await other.state()
        let options = ChangeOptions(idempotencyKey: "mine")
        try await other.delete(options: ChangeOptions(isDryRun: true))
        #expect(test.server.state == state)
        try await other.delete(options: options)
        try await other.delete(options: options)
        await expect("session-not-found", 404) { try await other.delete() }
        await expect("session-not-found", 404) { _ = try await other.state() }
        await expect("revision-mismatch", 412) {
            try await other.restore(state, options: ChangeOptions(ifMatch: "*"))
        }
        let new = try await other.restore(state, onlyCreates: true)
        #expect(new.revision == 1 && new.path(of: "shop")?.map(\.route) == ["page"])
        #expect(test.server.state == new)
        #expect(try await other.history().history.isEmpty)
        #expect(try await other.perform(page(2)).session.revision == 2)
    }

    @Test func `a token has a scope that exists`() async throws {
        await expect("invalid-request", 422) {
            _ = try await other.createToken(TokenScope(rawValue: "all"))
        }
        #expect(try await other.createToken(.control).scope == .control)
        #expect(try await other.tokens().count == 1)
    }

    @Test func `an operation that only the real server has says so`() async throws {
        let navstate = other.navstate
        let url = Store.Link.order(id: "7")
        let calls: [() async throws -> Void] = [
            { try await other.signal("ring") }, { _ = try await other.watchers() },
            { _ = try await other.steps(from: 1) }, { try await other.report(shown: 1, as: "a") },
            { try await navstate.create() }, { _ = try await navstate.sessions() },
            { try await navstate.perform(.root(), on: SessionFilter()) },
            { _ = try await navstate.apps() }, { _ = try await navstate.resolve(url, in: "store") },
            { _ = try await navstate.putApp("store", [:]) },
            { _ = try await navstate.impact(of: "store") },
            { try await navstate.deleteApp("store") },
            { for try await _ in navstate.events(of: ["local"]) {} },
        ]
        for call in calls { await expect("not-implemented", 501, call) }
        await expect("not-found", 404) { try await other.perform(Nav.Command("fly")) }
        #expect(test.server.state?.revision == 1)
    }
}
