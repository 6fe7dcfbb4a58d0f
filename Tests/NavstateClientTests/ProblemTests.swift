import Foundation
import NavstateClient
import Testing

/// Each problem that a call can run into arrives with its code.
@Suite(.enabled(if: ServerProcess.exists, "The executable was not built."))
struct ProblemTests {
    @Test func `things that do not exist are reported`() async throws {
        let server = try await ServerProcess()
        let navstate = server.navstate()
        let chat = try await navstate.create(NewSession(id: "k", app: "chat"))
        let url = try #require(URL(string: "chat://nowhere"))
        await expectProblem("session-not-found") { try await navstate.session("no").back() }
        await expectProblem("app-not-found") { _ = try await navstate.app("no") }
        await expectProblem("session-exists") { try await navstate.create(NewSession(id: "k")) }
        await expectProblem("entry-not-found") { try await chat.back(to: .route("no")) }
        await expectProblem("sheet-not-found") { try await chat.dismiss(.sheet("e99")) }
        await expectProblem("tab-not-found") { try await chat.select(tab: "no") }
        await expectProblem("no-route-for-url") { try await chat.open(url) }
        await expectProblem("no-link") { _ = try await chat.link() }
        await expectProblem("revision-gone") { _ = try await chat.state(at: 99) }
        await expectProblem("watcher-not-found") { try await chat.report(shown: 1, as: "no") }
        await expectProblem("not-found") { try await chat.perform(Nav.Command("fly")) }
        await expectProblem("template-not-found") {
            try await navstate.create(NewSession(app: "shop", template: "no"))
        }
    }

    @Test func `violations of an app's rules are reported`() async throws {
        let server = try await ServerProcess()
        let navstate = server.navstate()
        let chat = try await navstate.create(NewSession(id: "k", app: "chat"))
        let shop = try await navstate.create(NewSession(app: "shop"))
        await expectProblem("unknown-route") { try await chat.navigate(to: "contactDetial") }
        await expectProblem("route-not-allowed-here") {
            try await chat.navigate(to: "profileSettings")
        }
        await expectProblem("invalid-params") { try await chat.navigate(to: "contactDetail") }
        await expectProblem("guarded") { try await shop.navigate(to: "stock") }
        await expectProblem("unknown-fact") { try await shop.setFacts(["no": 1]) }
        await expectProblem("tab-needed") { try await shop.setTabs(hidden: ["shop"]) }
        await expectProblem("app-in-use") { try await navstate.deleteApp("chat") }
        await expectProblem("invalid-app") { try await navstate.putApp("bad", ["tabs": []]) }
        await expectProblem("invalid-request") { try await chat.back(count: 0) }
        await expectProblem("malformed-json") {
            // This is deeper than the server allows.
            let deep = (0..<100).reduce(JSONValue.null) { value, _ in [value] }
            try await chat.setParams(["deep": deep])
        }
        await expectProblem("limit-exceeded") {
            try await chat.batch(Array(repeating: .back(), count: 101))
        }
        await expectProblem("body-too-large") {
            let long = JSONValue.string(String(repeating: "x", count: 2 << 20))
            try await chat.setParams(["long": long])
        }
    }

    @Test func `commands that the state does not allow are reported`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k"))
        let strict = ChangeOptions(isStrict: true)
        await expectProblem("at-root") { try await session.back(options: strict) }
        await expectProblem("no-sheet") { try await session.dismiss(options: strict) }
        await expectProblem("already-selected") {
            try await session.select(tab: "main", popsToRoot: false, options: strict)
        }
        await expectProblem("nothing-to-undo") { try await session.undo(options: strict) }
        await expectProblem("nothing-to-redo") { try await session.redo(options: strict) }
        let options = PresentationOptions(isDismissible: false)
        try await session.present("r", presentation: options)
        await expectProblem("sheet-locked") { try await session.dismiss() }
        await expectProblem("sheet-open") {
            try await session.navigate(to: "r", in: "main", sheets: .reject)
        }
        await expectProblem("revision-mismatch") {
            try await session.back(options: ChangeOptions(ifMatch: "\"old\""))
        }
        let key = ChangeOptions(idempotencyKey: "key")
        try await session.navigate(to: "r", options: key)
        await expectProblem("idempotency-key-reused") { try await session.back(options: key) }
    }

    @Test func `the problem of a failed condition contains the current state`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k"))
        do throws(NavstateError) {
            try await session.back(options: ChangeOptions(ifMatch: "\"old\""))
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.problem?.session?.id == "k")
            #expect(error.problem?.requestID?.isEmpty == false)
        }
    }

    @Test func `tokens determine what is allowed`() async throws {
        let server = try await ServerProcess(token: "a-token-that-is-long-enough-for-the-server")
        let session = try await server.navstate().create(NewSession(id: "k"))
        let token = try await session.createToken(.read, name: "wall", ttlSeconds: 600)
        #expect(try await session.tokens().map(\.name) == ["wall"])
        let reader = server.navstate(token: token.token).session("k")
        #expect(try await reader.state().id == "k")
        await expectProblem("forbidden") { try await reader.back() }
        let stranger = server.navstate(token: "wrong").session("k")
        await expectProblem("unauthorized") { _ = try await stranger.state() }
        try await session.revokeToken(token.id)
        await expectProblem("unauthorized") { _ = try await reader.state() }
        let limited = try await session.createToken(
            .control, name: "remote", commands: ["navigate"], routes: ["a"])
        #expect(limited.commands == ["navigate"] && limited.routes == ["a"])
        #expect(try await session.tokens().first?.commands == ["navigate"])
        let remote = server.navstate(token: limited.token).session("k")
        try await remote.navigate(to: "a")
        await expectProblem("forbidden") { try await remote.navigate(to: "b") }
        await expectProblem("forbidden") { try await remote.back() }
        #expect(try await remote.allowed().commands == ["navigate"])
    }
}

/// Expects a call to be refused with a problem of this code, and returns the problem.
@discardableResult
func expectProblem(
    _ code: String, sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ call: () async throws -> Void
) async -> Nav.Problem? {
    do {
        try await call()
        Issue.record("\(code) was not thrown", sourceLocation: sourceLocation)
        return nil
    } catch {
        let problem = (error as? NavstateError)?.problem
        #expect(problem?.code == code, "\(error)", sourceLocation: sourceLocation)
        return problem
    }
}
