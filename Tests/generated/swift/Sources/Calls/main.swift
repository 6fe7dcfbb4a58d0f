// Calls URL
import Foundation
import Navstate

NavstateAPIConfiguration.shared.basePath = CommandLine.arguments[1]
let run = UUID().uuidString.lowercased().prefix(12)
let (app, one, two) = ("app-\(run)", "\(run)-1", "\(run)-2")

let detail = AppRoute(
    params: .dictionary([
        "type": .string("object"), "required": .array([.string("id")]),
        "properties": .dictionary(["id": .dictionary(["type": .string("integer")])]),
    ]))
let definition = AppDefinition(
    routes: [
        "detail": detail,
        "question": AppRoute(
            presentation: .typeString("sheet"), result: .dictionary(["type": .string("boolean")])),
    ],
    tabs: [AppTab(id: "home", routes: ["detail"]), AppTab(id: "settings")],
    links: [
        AppLink(
            pattern: "app://detail/{id}", tab: "home",
            path: [
                .typeLinkTarget(LinkTarget(route: "detail", params: ["id": .string("{id}")]))
            ])
    ])

func apps() async throws {
    guard
        case .typeStoredApp(let stored) = try await AppsAPI.putApp(
            app: app, appDefinition: definition)
    else { throw Failure(description: "a stored app was expected") }
    try expect(stored.app.tabs.map(\.id) == ["home", "settings"], "tabs of the app")
    let twice = AppDefinition(tabs: [AppTab(id: "a"), AppTab(id: "a")])
    guard
        case .typeAppReport(let report) = try await AppsAPI.putApp(
            app: app, appDefinition: twice, dryRun: true)
    else { throw Failure(description: "a report was expected") }
    try expect(!report.valid && !report.errors.isEmpty, "errors of the app")
}

func sessions() async throws {
    let created = try await SessionsAPI.createSession(newSession: NewSession(id: one, app: app))
    try expect(created.id == one && created.revision == 1, "the new session")
    _ = try await SessionsAPI.createSession(newSession: NewSession(id: two, app: app))
    let free = try await SessionsAPI.createSession(newSession: NewSession(tabs: ["b", "a", "c"]))
    try expect(free.tabs.map(\.id) == ["b", "a", "c"], "the order of the tabs")
    try await SessionsAPI.deleteSession(id: free.id)
    let page = try await SessionsAPI.listSessions(q: String(run), limit: 1)
    try expect(page.sessions.map(\.id) == [one], "the first page")
    let rest = try await SessionsAPI.listSessions(q: String(run), limit: 1, cursor: page.next)
    try expect(rest.sessions.map(\.id) == [two] && rest.next == nil, "the last page")
}

func commands() async throws {
    let navigate = Navigate(route: "detail", params: ["id": .int(42)])
    let response = try await CommandsAPI.navigateWithRequestBuilder(id: one, navigate: navigate)
        .execute()
    let etag = response.header["Etag"] ?? response.header["ETag"]
    let session = response.body.session
    try expect(response.body.added == ["e1"] && session?.visible.containerID == "home", "navigate")
    try expect(session?.tabs[0].path[0].params == ["id": .int(42)], "params")

    let wrong = Navigate(route: "detail", params: ["id": .string("42")])
    let invalid = try await problem(422, "invalid-params") {
        try await CommandsAPI.navigate(id: one, navigate: wrong)
    }
    try expect(invalid.errors?[0].pointer == "/params/id", "the pointer")
    _ = try await CommandsAPI.present(id: one, present: Present(route: "question"), ifMatch: etag)
    let late = try await problem(412, "revision-mismatch") {
        try await CommandsAPI.back(id: one, ifMatch: etag)
    }
    try expect(late.session?.revision == 3, "the session of the problem")

    _ = try await CommandsAPI.dismiss(id: one, dismiss: Dismiss(result: .bool(true)))
    guard case .typeDismissedSheet(let sheet) = try await SessionsAPI.getSheet(id: one, sheet: "e2")
    else { throw Failure(description: "a dismissed sheet was expected") }
    try expect(sheet.result == .bool(true), "the result of the sheet")
    let target = Back(to: BackTarget(entry: "e1"), inclusive: true)
    let back = try await CommandsAPI.back(id: one, back: target)
    try expect(back.popped == 1, "back")
}

func batches() async throws {
    let batch = Batch(commands: [
        .typeBatchNavigate(
            BatchNavigate(command: .navigate, route: "detail", params: ["id": .int(7)])),
        .typeBatchSetBadge(
            BatchSetBadge(command: .setbadge, tab: "settings", badge: .typeString("new"))),
    ])
    let results = try await CommandsAPI.batch(id: one, batch: batch)
    try expect(results.session?.tabs[1].badge == .typeString("new"), "the badge")
    let none = SetBadge(tab: "settings", badge: .typeInt64(0))
    let removed = try await CommandsAPI.setBadge(id: one, setBadge: none)
    try expect(removed.session?.tabs[1].badge == nil, "no badge")
    let link = OpenLink(url: "app://detail/9")
    let opened = try await CommandsAPI.openLink(id: one, openLink: link)
    try expect(opened.session?.visible.params == ["id": .int(9)], "the params of the link")
    let steps = try await SessionsAPI.getSteps(from: 1, id: one, to: 3).steps
    guard case .typePushStep(let push) = steps[0], case .typePresentStep = steps[1]
    else { throw Failure(description: "other steps: \(steps)") }
    try expect(push.entry.route == "detail", "the pushed entry")
}

func deletion() async throws {
    try await SessionsAPI.deleteSession(id: one)
    try await SessionsAPI.deleteSession(id: two)
    _ = try await problem(404, "session-not-found") {
        try await SessionsAPI.getSession(id: one)
    }
    try await AppsAPI.deleteApp(app: app)
}

try await apps()
try await sessions()
try await commands()
try await batches()
try await deletion()
print("openapi-generator, swift6: the generated client works")
