internal import API
internal import Bytes
internal import JSON
internal import Navigation

/// The ids of entries in a recording, and those in their place where it is repeated.
struct EntryIDs {
    private var known: [ExactString: String] = [:]

    /// The members of commands and states that are ids of entries.
    private static let members = ["id", "in", "entry", "sheet", "within", "presentedBy"]
    /// Those in which ids have no meaning.
    private static let others = ["params", "result", "facts", "labels", "root"]

    var isEmpty: Bool { known.isEmpty }

    /// Notes that the ids of one list stand for those of the other.
    mutating func set(_ recorded: [String], to ids: [String]) {
        for (one, other) in zip(recorded, ids) { known[ExactString(one)] = other }
    }

    /// A command or a state with the ids in their places.
    func applied(to value: JSON) -> JSON {
        switch value {
        case .array(let items): .array(items.map(applied))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { member in
                        (member.key, applied(to: member.value, of: member.key))
                    }))
        case .null, .bool, .integer, .double, .string: value
        }
    }

    private func applied(to value: JSON, of member: String) -> JSON {
        if Self.others.contains(member) { return value }
        guard let id = value.string, Self.members.contains(member) else {
            return applied(to: value)
        }
        return .string(known[ExactString(id)] ?? id)
    }
}

/// A recording as a story for docs/conformance/run.py, which compares the state after each step.
struct RecordedStory {
    /// The app of the session, if it has one.
    private(set) var app: String?
    private var tabs: [JSON] = []
    private var steps: [JSON] = []
    private var ids = EntryIDs()

    /// Adds a step, after which the session is in this state.
    mutating func add(_ step: Recording.Step, to session: JSON) {
        let expected: JSONObject = ["session": Self.pattern(of: session)]
        switch step {
        case .state(var state):
            if steps.isEmpty {
                app = state["app"]?.string
                tabs = state["tabs"]?.items.compactMap { $0["id"] } ?? []
            }
            state["app"] = nil
            steps.append(
                .object([
                    "request": .string("PUT /v1/sessions/$session"),
                    "body": ids.applied(to: .object(state)), "expect": .object(expected),
                ]))
        case .command(let name, let body, let added):
            // The runner puts the ids that the server gives in the place of $e7.
            let kept = added.enumerated().map { ($1, JSON.string("/added/\($0)")) }
            var answered = expected
            answered["keep"] = kept.isEmpty ? nil : .object(JSONObject(kept))
            steps.append(
                .object([
                    "command": .string(name.rawValue), "body": ids.applied(to: .object(body)),
                    "expect": .object(answered),
                ]))
            ids.set(added, to: added.map { "$\($0)" })
        }
    }

    /// The tabs, the paths, the sheets and the facts of a session, without ids.
    private static func pattern(of session: JSON) -> JSON {
        func screen(_ entry: JSON) -> JSONObject {
            var pattern = JSONObject()
            for name in ["route", "style", "title"] { pattern[name] = entry[name] }
            pattern["params"] = entry["params"].map { .object(["$exactly": $0]) }
            pattern["path"] = entry["path"].map { path in
                .array(path.items.map { .object(screen($0)) })
            }
            return pattern
        }
        return .object([
            "selectedTab": session["selectedTab"] ?? .null,
            "tabs": .array(
                (session["tabs"]?.items ?? []).map { tab in
                    var pattern = screen(tab)
                    pattern["id"] = tab["id"]
                    return .object(pattern)
                }),
            "sheets": .array((session["sheets"]?.items ?? []).map { .object(screen($0)) }),
        ])
    }

    /// The file of the story.
    ///
    /// - Parameter app: the document of the app of the session.
    func document(of session: String, _ app: JSON?) -> JSON {
        let beginning: JSONObject = app == nil ? ["tabs": .array(tabs)] : [:]
        let story: JSONObject = [
            "id": .string("recorded-\(session)"),
            "shows": .string("The session \(session), recorded by navstate \(Version.text)."),
            "app": app, "session": .object(beginning), "steps": .array(steps),
        ]
        return .object([
            "format": .integer(1), "contract": .string(Contract.version),
            "chapter": .string("sessions"), "about": .string("A recorded session."),
            "stories": .array([.object(story)]),
        ])
    }
}
