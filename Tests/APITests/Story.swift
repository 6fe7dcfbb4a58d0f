import API
import HTTP
import JSON
import Navigation
import Sessions

/// A difference between what a story expects and what the service does.
struct StoryFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A story of `docs/conformance/stories` on its way through a service in this process.
///
/// It follows `run.py`, which speaks HTTP to a server, but for what a connection adds: the fields
/// that the server writes itself, and answers that are read later.
struct Story {
    let client: Client
    private let chapter: JSONObject
    private let story: JSONObject
    private var known: [String: JSON] = ["origin": .string("")]
    private var session: JSON?

    init(_ story: JSONObject, in chapter: JSONObject, number: Int, client: Client) {
        self.client = client
        self.chapter = chapter
        self.story = story
        known["unique"] = .string("story\(number)")
    }

    /// Stories about parts of a response that the server adds or leaves out, about requests that it
    /// refuses before the service has them, and about answers that it sends later.
    private static let ofServer: Set<String> = [
        "problem-form", "problem-request-id", "read-head", "service-metrics", "limit-body",
        "limit-head", "limit-target", "service-backup", "idle-once", "read-wait-end", "sheet-time",
        "sheet-time-undo", "sheet-time-undo-alone", "sheet-wait-end",
    ]

    /// Whether the story can be told without a connection, a token file or a list of origins.
    static func isInProcess(_ story: JSONObject, in chapter: JSONObject) -> Bool {
        let needs = chapter.list("needs") + story.list("needs")
        return needs.isEmpty && story.list("steps").allSatisfy { $0["begin"] == nil }
            && !ofServer.contains(story["id"]?.string ?? "")
    }

    mutating func run() throws {
        try prepare()
        for (number, step) in story.list("steps").enumerated() {
            for count in 1...(step["repeat"]?.integer ?? 1) {
                known["n"] = .string("\(count)")
                do { try carryOut(filled(step)) } catch let failure as StoryFailure {
                    throw StoryFailure("step \(number + 1): \(failure)")
                }
            }
        }
    }

    private mutating func prepare() throws {
        var body = story["session"] ?? .object([:])
        if let app = story["app"] ?? chapter["app"], case .object(var object) = app {
            let name = "\(app["id"]?.string ?? "")-\(text("unique"))"
            known["app"] = .string(name)
            object["id"] = .string(name)
            try demand("PUT", "/v1/apps/\(name)", .object(object))
            if case .object(var members) = body {
                if members["app"] == nil { members["app"] = .string(name) }
                body = .object(members)
            }
        }
        guard body != .null else { return }
        let answer = try demand("POST", "/v1/sessions", filled(body))
        session = answer.json
        known["session"] = answer.json["id"]
        known["etag"] = .string(answer.etag)
    }

    /// The value with a name, as it is written into a text.
    private func text(_ name: String) -> String {
        known[name].map { $0.string ?? $0.text } ?? "$\(name)"
    }

    @discardableResult
    private func demand(_ method: String, _ target: String, _ body: JSON) throws -> Client.Answer {
        let answer = try client.call(method, target, body.text)
        guard 200..<300 ~= answer.status else {
            throw StoryFailure("\(method) \(target): \(answer.status) \(answer.text)")
        }
        return answer
    }

    /// The value with what is known in place of `$name`.
    private func filled(_ value: JSON) -> JSON {
        switch value {
        case .array(let items): return .array(items.map(filled))
        case .object(let object):
            return .object(JSONObject(object.members.map { (filled($0.key), filled($0.value)) }))
        case .string(let text):
            if text.hasPrefix("$"), let value = known[String(text.dropFirst())] { return value }
            return .string(filled(text))
        case .null, .bool, .integer, .double: return value
        }
    }

    private func filled(_ text: String) -> String {
        guard text.contains("$") else { return text }
        return text.replacing(/\$([A-Za-z][A-Za-z0-9]*)/) { found in
            self.text(String(found.1))
        }
    }

    private mutating func carryOut(_ step: JSON) throws {
        let before = session
        let (method, target) = request(of: step)
        let answer = try send(method, target, step)
        try readSession()
        let expect = step["expect"] ?? .object([:])
        try checkAlways(step, target, answer, before)
        try check(expect, answer, before)
        try keep(expect["keep"], of: answer)
    }

    private func request(of step: JSON) -> (method: String, target: String) {
        if let command = step["command"]?.string {
            let query = step["query"]?.string.map { "?\($0)" } ?? ""
            return ("POST", "/v1/sessions/\(text("session"))/\(command)\(query)")
        }
        let words = (step["request"]?.string ?? "").split(separator: " ", maxSplits: 1)
        return (String(words[0]), String(words[1]))
    }

    private func send(
        _ method: String, _ target: String, _ step: JSON
    ) throws -> Client.Answer {
        var fields: [(String, String)] = [("Host", "localhost:8080")]
        if let token = step["token"]?.string { fields.append(("Authorization", "Bearer \(token)")) }
        let body = body(of: step)
        if let body {
            fields += [("Content-Type", "application/json"), ("Content-Length", "\(body.count)")]
        }
        for member in step["headers"]?.memberList ?? [] {
            fields.removeAll { $0.0.lowercased() == member.key.lowercased() }
            if let value = member.value.string { fields.append((member.key, value)) }
        }
        var head = "\(method) \(target) HTTP/1.1\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        return try client.answer(to: Array((head + "\r\n").utf8) + (body ?? []))
    }

    private func body(of step: JSON) -> [UInt8]? {
        if let digits = step["bytes"]?.string {
            let pairs = Array(digits.utf8)
            return stride(from: 0, to: pairs.count, by: 2).compactMap {
                UInt8(String(decoding: pairs[$0...$0 + 1], as: UTF8.self), radix: 16)
            }
        }
        if let text = step["text"] {
            if let whole = text.string { return Array(whole.utf8) }
            let part = text["repeat"]?.string ?? ""
            let middle = String(repeating: part, count: text["times"]?.integer ?? 0)
            let (start, end) = (text["before"]?.string ?? "", text["after"]?.string ?? "")
            return Array((start + middle + end).utf8)
        }
        return step["body"]?.bytes
    }

    private mutating func readSession() throws {
        guard known["session"] != nil else { return }
        let answer = try client.call("GET", "/v1/sessions/\(text("session"))")
        session = answer.status == 200 ? answer.json : nil
    }
}

// MARK: - Expectations

extension Story {
    /// Checks the rules that each answer of a server follows.
    private func checkAlways(
        _ step: JSON, _ target: String, _ answer: Client.Answer, _ before: JSON?
    ) throws {
        if answer.status >= 400, !answer.response.body.isEmpty {
            guard answer.response.contentType == .problemJSON else {
                throw StoryFailure("a refusal has no type of a problem: \(answer.text)")
            }
            guard answer.problem != nil, answer.json["title"]?.string != nil,
                answer.json["detail"]?.string != nil,
                answer.json["status"]?.integer == answer.status
            else { throw StoryFailure("an incomplete problem: \(answer.text)") }
            if session != nil, before != nil { try checkUnchanged(since: before) }
        } else if session != nil, before != nil, !target.contains("dryRun"),
            step["headers"]?["Idempotency-Key"] == nil, let shown = answer.json["session"],
            shown.memberList != nil, shown["id"] == session?["id"], shown != session
        {
            throw StoryFailure("another session is read after \(answer.text)")
        }
    }

    private func checkUnchanged(since before: JSON?) throws {
        func comparable(_ session: JSON?) -> JSON? {
            guard case .object(var object)? = session else { return nil }
            object["expiresAt"] = nil
            return .object(object)
        }
        guard let before = comparable(before), comparable(session) == before else {
            throw StoryFailure("the session has changed to \(session?.text ?? "nothing")")
        }
    }

    private func check(_ expect: JSON, _ answer: Client.Answer, _ before: JSON?) throws {
        try checkStatus(expect, answer)
        if let problem = expect["problem"]?.string, answer.problem != problem {
            throw StoryFailure("the problem is \(answer.text), not \(problem)")
        }
        let pointers = (answer.json["errors"]?.array ?? []).map { $0["pointer"] }
        for pointer in expect["errors"]?.array ?? [] where !pointers.contains(pointer) {
            throw StoryFailure("no error is at \(pointer.text): \(answer.text)")
        }
        if let pattern = expect["answer"] { try pattern.check(answer.json) }
        if let pattern = expect["text"] { try pattern.check(.string(answer.text)) }
        for member in expect["headers"]?.memberList ?? [] {
            try check(member, answer.header(member.key))
        }
        if let picture = expect["picture"]?.string, picture != session?.storyPicture {
            throw StoryFailure("the session is \(session?.storyPicture ?? "gone"), not \(picture)")
        }
        if let pattern = expect["session"] { try pattern.check(session ?? .null) }
        if expect["unchanged"] != nil { try checkUnchanged(since: before) }
    }

    private func checkStatus(_ expect: JSON, _ answer: Client.Answer) throws {
        let isExpected =
            if let status = expect["status"]?.integer {
                status == answer.status
            } else {
                (expect["problem"] == nil) == (200..<300 ~= answer.status)
            }
        if !isExpected { throw StoryFailure("the status is \(answer.status): \(answer.text)") }
    }

    private func check(_ expected: JSONObject.Member, _ found: String?) throws {
        // The server adds these to the response of the service.
        let ofServer = ["content-length", "date", "connection", "content-encoding", "x-request-id"]
        if ofServer.contains(expected.key.lowercased()) { return }
        switch (expected.value, found) {
        case (.null, nil): return
        case (.null, let value?): throw StoryFailure("\(expected.key) is \(value)")
        case (_, nil): throw StoryFailure("the answer has no \(expected.key)")
        case (let pattern, let value?): try pattern.check(.string(value))
        }
    }

    private mutating func keep(_ names: JSON?, of answer: Client.Answer) throws {
        for member in names?.memberList ?? [] {
            let source = member.value.string ?? ""
            if source.hasPrefix("header:") {
                known[member.key] = answer.header(String(source.dropFirst("header:".count)))
                    .map(JSON.string)
            } else {
                known[member.key] = answer.json.value(at: source)
            }
            guard known[member.key] != nil else { throw StoryFailure("nothing is at \(source)") }
        }
    }
}

extension Client.Answer {
    /// The value of a field of the response, as far as the service decides it.
    fileprivate func header(_ name: String) -> String? {
        switch name.lowercased() {
        case "etag": response.etag == nil ? nil : etag
        case "location": response.location
        case "content-type": response.contentType?.value
        case "cache-control": response.caching.map { "\($0.value)" }
        case let other: response.fields.first { $0.name.text.lowercased() == other }?.value
        }
    }
}

extension JSONObject {
    fileprivate func list(_ name: String) -> [JSON] { self[name]?.array ?? [] }
}
