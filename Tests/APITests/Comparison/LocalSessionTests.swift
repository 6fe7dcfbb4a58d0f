import API
import Bytes
import JSON
import Navigation
import NavstateRules
import Sessions
import TestSupport
import Testing

/// The rules in process beside those of the server: every state, answer, event and refusal is the
/// same, byte for byte.
@Suite(.seeded) struct LocalSessionTests {
    /// NAVSTATE_PROGRAMS programs for each app, which is many more than the default for a long run.
    private static let programs = Environment.number("NAVSTATE_PROGRAMS") ?? 12

    @Test(arguments: try ComparedApps.all().enumerated().map { ($0, $1) })
    func `random programs agree with the server`(_ number: Int, _ document: String) throws {
        var random = SplitMix64(stream: 0x10CA1 &+ UInt64(number))
        let app = try AppDefinition(json: document)
        for _ in SplitMix64.worlds(Self.programs) {
            let seed = random.next()
            var pair = try Pair(app, seed: seed)
            do {
                try pair.run(length: 40)
            } catch let difference as Difference {
                Issue.record("\(app.id), program \(seed): \(difference.text)")
                return
            }
        }
    }

    @Test func `a session that continues that of the server goes on as the server does`() throws {
        var random = SplitMix64(stream: 0xC0)
        for document in try ComparedApps.all() {
            let app = try AppDefinition(json: document)
            for _ in SplitMix64.worlds(max(2, Self.programs / 4)) {
                var pair = try Pair(app, seed: random.next())
                try pair.run(length: 12)
                try pair.continueFromServer()
                try pair.run(length: 12)
            }
        }
    }

    @Test func `another app is not there, and neither is another session`() throws {
        let client = try Client()
        try client.call("PUT", "/v1/apps/hotel", ComparedApps.hotel)
        let app = try AppDefinition(json: ComparedApps.hotel)
        for body in [#"{"id":"p","app":"hotl"}"#, #"{"copyOf":"none"}"#, #"{"app":"hotel","x":1}"#]
        {
            let answer = try client.call("POST", "/v1/sessions", body)
            let refusal = #expect(throws: Rejection.self) { try LocalSession(app, creating: body) }
            #expect(refusal?.json == answer.bareProblem)
        }
    }
}

/// Where the two differ.
private struct Difference: Error {
    var text: String
}

/// A session of a server in this process, and the same session by the rules alone.
private struct Pair {
    let client: Client
    private var requests: RandomRequests
    private var local: LocalSession?
    private var log: [String] = []
    private var events: [(revision: Int, text: String)] = []
    private var states: [Int: LocalSession] = [:]
    /// The revision of the server that the session continues.
    private var continued: Int?
    private let target = "/v1/sessions/p"

    init(_ app: AppDefinition, seed: UInt64) throws {
        client = try Client()
        try client.call("PUT", "/v1/apps/\(app.id)", app.json)
        requests = RandomRequests(try JSON(parsing: Array(app.json.utf8)), SplitMix64(seed: seed))
        var body = requests.creation()
        body["id"] = .string("p")
        body["app"] = .string(app.id)
        let text = JSON.object(body).text
        log = [text]
        let answer = try client.call("POST", "/v1/sessions", text)
        let result = Self.result { () throws(Rejection) in
            try LocalSession(app, creating: text, at: client.now)
        }
        switch result {
        case .success(let session):
            local = session
            try require(
                answer.status == 201 && answer.text == session.json, answer.text, session.json)
        case .failure(let refusal):
            try require(answer.bareProblem == refusal.json, answer.bareProblem, refusal.json)
        }
    }

    /// The next commands in process continue the session that the server has now.
    mutating func continueFromServer() throws {
        guard let before = local else { return }
        let text = try client.call("GET", target).text
        try require(before.json == text, text, before.json)
        let session = try LocalSession(before.app, continuing: text, at: client.now)
        try require(session.json == text, text, session.json)
        (local, continued, events, states) = (session, session.revision, [], [:])
    }

    mutating func run(length: Int) throws {
        for _ in 0..<length {
            guard local != nil else { return }
            client.now += 250
            if try hasExpired(local) { return local = nil }
            try step()
        }
        try compareReads()
    }

    /// Whether the time of the session is over, which the rules leave to their caller.
    private func hasExpired(_ session: LocalSession?) throws -> Bool {
        guard let expiry = session?.expiresAt, expiry <= client.now else { return false }
        try require(try client.call("GET", target).status == 404, "still there", "expired")
        return true
    }

    private mutating func step() throws {
        guard var session = local else { return }
        let request = requests.next(try JSON(parsing: Array(session.json.utf8)))
        log.append("\(request)")
        let revision = session.revision
        states[revision] = session
        let now = client.now
        switch request {
        case .command(let name, let body, let strict):
            let answer = try client.command(
                "p", name, body, strict ? ["Prefer": "handling=strict"] : [:])
            // The server has no such URL, and says so in its own words.
            if name == "jump" {
                let known = #expect(throws: Rejection.self) { try session.perform(name, body) }
                return try require(known?.status == answer.status, answer.text, "\(known as Any)")
            }
            try compare(answer, &session) { session throws(Rejection) in
                try session.perform(name, body, strict: strict, at: now)
            }
        case .put(let body):
            try compare(try client.call("PUT", target, body), &session) {
                session throws(Rejection) in
                try session.restore(body, at: now)
            }
        case .patch(let body):
            let answer = try client.call("PATCH", target, body)
            try compare(answer, &session) { session throws(Rejection) in
                try session.update(body, at: now)
            }
        case .wait(let time): try wait(time, &session)
        }
        local = local == nil ? nil : session
    }

    private mutating func compare(
        _ answer: Client.Answer, _ session: inout LocalSession,
        _ change: (inout LocalSession) throws(Rejection) -> NavstateRules.Outcome
    ) throws {
        let before = session
        switch Self.result({ () throws(Rejection) in try change(&session) }) {
        case .success(let outcome):
            try require(answer.text == outcome.json, answer.text, outcome.json)
            if let event = outcome.event { events.append((session.revision, event)) }
            try require(outcome.changed == (session.revision > before.revision), "", outcome.json)
        case .failure(let refusal):
            // Only the server has the states from before.
            if continued != nil, refusal.code == "revision-gone" { return local = nil }
            try require(answer.bareProblem == refusal.json, answer.bareProblem, refusal.json)
            try require(session.json == before.json, before.json, session.json)
        }
    }

    private mutating func wait(_ time: Int64, _ session: inout LocalSession) throws {
        let end = client.now + time
        while let outcome = session.advance(to: end) {
            client.now = session.now
            try require(carryOutDue(), "nothing is due", outcome.event ?? "")
            let text = try client.call("GET", target).text
            try require(text == session.json, text, session.json)
            if let event = outcome.event { events.append((session.revision, event)) }
        }
        client.now = end
        if try hasExpired(session) { return local = nil }
        guard try carryOutDue() else { return }
        // Only the server knows whether the idle command has been carried out already.
        try require(session.revision == continued, "something was due", session.json)
        local = nil
    }

    /// Has the server carry out what is due. Returns whether it has changed the session.
    private func carryOutDue() throws -> Bool {
        let id = SessionID(trusted: "p")
        let record = try #require(try client.store.newest("p")).record
        var due = DueSession(id: id, mayBeIdle: record.due.idleSeconds != 0)
        for _ in 0..<2 {
            switch client.service.carryOut(due, at: client.now) {
            case .changed:
                try client.takeChanges()
                return true
            case .withoutEffect: due.mayBeIdle = false
            case .notDue: return false
            case .load, .failed: throw Difference(text: "what is due cannot be carried out")
            }
        }
        return false
    }

    /// Compares what can be read of the session.
    private func compareReads() throws {
        guard let session = local else { return }
        let allowed = try client.call("GET", target + "/allowed").text
        try require(allowed == session.allowed, allowed, session.allowed)
        let link = try client.call("GET", target + "/link").json["url"]?.string
        try require(link == session.link, "\(link as Any)", "\(session.link as Any)")
        if let first = states.keys.min(), let before = states[max(first, session.revision - 9)] {
            let steps = try client.call("GET", "\(target)/steps?from=\(before.revision)")
            let own = before.steps(to: session)
            let text = #"{"from":\#(before.revision),"to":\#(session.revision),"steps":\#(own)}"#
            try require(steps.text == text, steps.text, text)
        }
        let history = try client.call("GET", target + "/history").text
        for event in events.suffix(20) {
            let members = event.text.dropFirst()
            try require(
                history.contains(members), "\(event.revision) is not in \(history)", event.text)
        }
    }

    private func require(_ holds: Bool, _ server: String, _ own: String) throws {
        guard !holds else { return }
        let last = log.suffix(4).joined(separator: "\n  ")
        throw Difference(text: "\(last)\nserver: \(server)\nrules:  \(own)")
    }

    private static func result<Value>(
        _ body: () throws(Rejection) -> Value
    ) -> Result<Value, Rejection> {
        do { return .success(try body()) } catch { return .failure(error) }
    }
}

extension Client.Answer {
    /// The problem without the members about the request.
    fileprivate var bareProblem: String {
        guard case .object(var object) = json, object["type"] != nil else { return text }
        object["instance"] = nil
        object["requestId"] = nil
        return JSON.object(object).text
    }
}
