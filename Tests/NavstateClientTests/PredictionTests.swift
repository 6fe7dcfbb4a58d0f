import NavstateRules
import Testing

@testable import NavstateClient

/// Whether an answer or an event shows that the server has another document of the app.
@Suite struct PredictionTests {
    private let old: AppDefinition
    private let new: AppDefinition

    init() throws {
        old = try AppDefinition(json: Store.document)
        new = try AppDefinition(
            json: Store.document.replacing(
                #""login":{"presentation":"sheet"}"#, with: #""login":{"presentation":"popover"}"#)
        )
    }

    /// A prediction by the old document, and the session on a server with one of them.
    private func begin(_ app: AppDefinition) throws -> (Prediction, LocalSession) {
        let server = try LocalSession(app, id: "k")
        var core = Prediction(nil, old)
        core.received(server.state)
        return (core, server)
    }

    private func result(_ outcome: Outcome) throws -> CommandResult {
        try JSONValue.read(outcome.json).decode()
    }

    @Test(arguments: [true, false])
    func `an answer that differs from the prediction is noticed`(afterEvent: Bool) throws {
        for (app, isOutdated) in [(old, false), (new, true)] {
            var (core, server) = try begin(app)
            let command = Nav.Command.present("login")
            _ = try core.perform(command, isStrict: false, isLocal: false)
            let sent = core.nextToSend()
            #expect(sent?.isPredicted == true)
            let outcome = try server.perform(command)
            // The event of the change may arrive before its answer.
            let early = afterEvent && core.received(server.state, by: command)
            let answered = try core.answered(result(outcome))
            #expect(!early && answered == isOutdated)
            #expect(core.confirmed?.isSame(as: server.state) == true)
            let late = core.received(server.state, by: command)
            #expect(!late, "it is known already")
        }
    }

    @Test func `a change by another client that differs from the prediction is noticed`() throws {
        for (app, isOutdated) in [(old, false), (new, true)] {
            var (core, server) = try begin(app)
            try server.perform(.present("login"))
            let isNoticed = core.received(server.state, by: .present("login"))
            #expect(isNoticed == isOutdated)
        }
    }

    @Test func `an answer that follows a change by another client is not a difference`() throws {
        var (core, server) = try begin(old)
        _ = try core.perform(.select(tab: "search"), isStrict: false, isLocal: false)
        _ = core.nextToSend()
        try server.perform(.present("login"))
        let early = core.received(server.state, by: .present("login"))
        let outcome = try server.perform(.select(tab: "search"))
        let answered = try core.answered(result(outcome))
        #expect(!early && !answered)
    }

    @Test func `another title is noticed with any state`() throws {
        let titled = try AppDefinition(
            json: Store.document.replacing(
                #""home":{"title":"Store"}"#, with: #""home":{"title":"Market"}"#))
        var (core, server) = try begin(titled)
        #expect(core.confirmed?.visible.title == "Market")
        for isOutdated in [true, false] {
            try server.perform(.select(tab: "search"))
            try server.perform(.select(tab: "shop"))
            let isNoticed = core.received(server.state)
            #expect(isNoticed == isOutdated)
            core.use(titled)
        }
    }
}
