// The rules as a WebAssembly module: five functions beside `release`. `build.py` compiles this file
// with the targets that it imports, and `navstate-rules.js` calls it.
//
// Texts go in and out through `runtime.c`: the caller writes the texts of a call one behind the
// other, and says where the second one begins (`split`) and where it ends (`length`). Apps and
// sessions stay here and have numbers from 1; 0 is none. A module has one thread.
import Bytes
import CRulesModule
import JSON
import NavstateRules

/// The items of one kind, by their numbers.
private struct Table<Item> {
    private var items: [Item?] = []
    private var free: [Int] = []

    mutating func add(_ item: Item) -> Int32 {
        if let index = free.popLast() {
            items[index] = item
            return Int32(index + 1)
        }
        items.append(item)
        return Int32(items.count)
    }

    mutating func remove(_ number: Int32) {
        guard self[number] != nil else { return }
        items[Int(number) - 1] = nil
        free.append(Int(number) - 1)
    }

    subscript(_ number: Int32) -> Item? {
        get { items.indices.contains(Int(number) - 1) ? items[Int(number) - 1] : nil }
        set { items[Int(number) - 1] = newValue }
    }
}

private struct KeptSession {
    var session: LocalSession
    /// The event of the last change.
    var event: String?
}

private var apps = Table<AppDefinition>()
private var sessions = Table<KeptSession>()

// MARK: - Texts

private func input(_ split: Int32, _ length: Int32) -> (String, String) {
    let bytes = UnsafeBufferPointer(start: rules_input(length), count: Int(length))
    return (
        String(decoding: bytes[..<Int(split)], as: UTF8.self),
        String(decoding: bytes[Int(split)...], as: UTF8.self)
    )
}

private func answer(_ text: String) {
    text.withBytes { bytes in
        bytes.withUnsafeBufferPointer { rules_answer($0.baseAddress, Int32($0.count)) }
    }
}

private func answer(_ members: [(String, JSON)]) { answer(JSON.object(JSONObject(members)).text) }

private func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

private func faults(_ faults: [AppFault], in text: String) -> JSON {
    let bytes = Array(text.utf8)
    // A text that is no JSON has this fault alone.
    var syntax: JSONSyntaxError?
    do throws(JSONSyntaxError) { _ = try JSON(parsing: bytes) } catch { syntax = error }
    return .array(
        faults.map { fault in
            let place = TextPosition(of: JSONPointer(fault.pointer) ?? JSONPointer(), in: bytes)
            var members: [(String, JSON)] = [
                ("pointer", .string(fault.pointer)), ("detail", .string(fault.detail)),
            ]
            if let code = fault.code { members.append(("code", .string(code))) }
            members.append(("line", .integer(Int64(syntax?.line ?? place.line))))
            members.append(("column", .integer(Int64(syntax?.column ?? place.column))))
            return .object(JSONObject(members))
        })
}

// MARK: - Functions

/// Reads an app: its id, which may be empty, and its document. Answers with what it is called and
/// its warnings, or with its faults.
@_cdecl("rules_app")
public func readApp(split: Int32, length: Int32) -> Int32 {
    let (id, document) = input(split, length)
    do throws(InvalidApp) {
        let app = try AppDefinition(json: document, id: id.isEmpty ? nil : id)
        var members: [(String, JSON)] = [("id", .string(app.id))]
        if let title = app.title { members.append(("title", .string(title))) }
        answer(members + [("warnings", faults(app.warnings, in: document))])
        return apps.add(app)
    } catch {
        answer([
            ("faults", faults(error.faults, in: document)),
            ("warnings", faults(error.warnings, in: document)),
        ])
        return 0
    }
}

/// A time of a page, which can be any number of JavaScript: within the years 1970 to 9999.
private func milliseconds(_ time: Double) -> Int64 {
    time.isNaN ? 0 : Int64(min(max(time, 0), 253_402_300_799_999))
}

/// Makes a session by its id and a body: a new one (0, or 1 for a strict one), one with a state
/// that was read before (2), one that continues one of a server (3), or a copy of one of these,
/// whose number stands in place of the app's (4). Answers with the state or the problem.
@_cdecl("rules_session")
public func makeSession(
    app number: Int32, kind: Int32, split: Int32, length: Int32, time: Double
) -> Int32 {
    let (id, body) = input(split, length)
    if kind == 4 {
        guard let kept = sessions[number] else { return 0 }
        answer(kept.session.json)
        return sessions.add(kept)
    }
    let (app, time) = (apps[number], milliseconds(time))
    do throws(Rejection) {
        let session =
            switch kind {
            case 2: try LocalSession(app, restoring: body, id: id, at: time)
            case 3: try LocalSession(app, continuing: body, at: time)
            case _: try LocalSession(app, creating: body, id: id, strict: kind == 1, at: time)
            }
        answer(session.json)
        return sessions.add(KeptSession(session: session))
    } catch {
        answer(error.json)
        return 0
    }
}

/// Changes a session by the name of a command and a body: a command (0, or 1 for a strict one), a
/// PUT (2), a PATCH (3), or the next thing that is due by the time (4).
///
/// - Returns: 1 and the answer, 0 and the problem, or 2 if nothing is due.
@_cdecl("rules_change")
public func change(
    session number: Int32, kind: Int32, split: Int32, length: Int32, time: Double
) -> Int32 {
    let (name, body) = input(split, length)
    guard var kept = sessions[number] else { return 2 }
    let time = milliseconds(time)
    do throws(Rejection) {
        let outcome: Outcome?
        switch kind {
        case 2: outcome = try kept.session.restore(body, at: time)
        case 3: outcome = try kept.session.update(body, at: time)
        case 4: outcome = kept.session.advance(to: time)
        case _: outcome = try kept.session.perform(name, body, strict: kind == 1, at: time)
        }
        if let event = outcome?.event { kept.event = event }
        sessions[number] = kept
        guard let outcome else { return 2 }
        answer(outcome.json)
        return 1
    } catch {
        answer(error.json)
        return 0
    }
}

/// Reads of a session: its state (0), what is allowed (1), the URL of its link (2), the steps from
/// it to another one (3), or the event of its last change (4); whether its app has a guard of this
/// name, and whether that holds (5); and whether an app opens a URL (6).
///
/// - Returns: 1 and the answer, or 0 if there is none.
@_cdecl("rules_read")
public func read(number: Int32, what: Int32, other: Int32, length: Int32) -> Int32 {
    if what == 6 { return apps[number]?.opens(input(0, length).1) == true ? 1 : 0 }
    guard let kept = sessions[number] else { return 0 }
    let text: String? =
        switch what {
        case 0: kept.session.json
        case 1: kept.session.allowed
        case 2: kept.session.link
        case 3: sessions[other].map { kept.session.steps(to: $0.session) }
        case 4: kept.event
        case _: kept.session.holds(input(0, length).1).map { $0 ? "true" : "false" }
        }
    guard let text else { return 0 }
    answer(text)
    return 1
}

/// Explores an app, as far as a goal and its params say, which may both be empty.
@_cdecl("rules_explore")
public func explore(
    app number: Int32, depth: Int32, statesMax: Int32, split: Int32, length: Int32
) -> Int32 {
    guard let app = apps[number] else { return 0 }
    let (goal, params) = input(split, length)
    let found =
        goal.isEmpty
        ? Exploration(app, depth: Int(depth), statesMax: Int(statesMax))
        : Exploration(
            app, to: Exploration.Goal(goal, params: params.isEmpty ? nil : params),
            statesMax: Int(statesMax))
    var members: [(String, JSON)] = [
        ("depth", .integer(Int64(found.depth))), ("states", .integer(Int64(found.states))),
        ("isCutOff", .bool(found.isCutOff)), ("declared", list(found.declared)),
        ("screens", list(found.screens)), ("links", list(found.links)),
        ("opened", list(found.opened)),
    ]
    members.append(
        (
            "findings",
            .array(
                found.findings.map { finding in
                    .object(
                        JSONObject([
                            ("code", .string(finding.code.rawValue)),
                            ("pointer", .string(finding.pointer)),
                            ("detail", .string(finding.detail)),
                            ("program", program(finding.program)),
                        ]))
                })
        ))
    if !goal.isEmpty {
        members.append(("program", found.program(to: goal).map { program($0) } ?? .null))
    }
    answer(members)
    return 1
}

private func program(_ steps: [Exploration.Step]) -> JSON {
    .array(
        steps.map { step in
            let body = JSONObject(text: step.body)?.members ?? []
            return .object(
                JSONObject([("command", .string(step.command))] + body.map { ($0.key, $0.value) }))
        })
}

/// Forgets a session (0) or an app (1).
@_cdecl("rules_release")
public func release(number: Int32, kind: Int32) {
    if kind == 0 { sessions.remove(number) } else { apps.remove(number) }
}
