internal import Bytes
internal import JSON
public import Navigation
public import NavstateRules

/// Tests that bring each screen of an app about and look whether it is shown.
public struct EmittedTests {
    /// Who runs the tests.
    public enum Runner: String, CaseIterable, Sendable {
        case playwright, xcuitest
    }

    private struct Screen {
        var route: String
        /// The title, if it is the same for all params and stands over the screen.
        var title: String?
        var program: [Exploration.Step]
    }

    private let app: App
    private let definition: AppDefinition
    private let screens: [Screen]

    public init(_ exploration: Exploration, of app: App, _ definition: AppDefinition) {
        (self.app, self.definition) = (app, definition)
        let undeclared = app.tabs.map(\.root.route.rawValue).filter { name in
            !exploration.declared.contains(name)
        }
        screens = (exploration.declared + undeclared).compactMap { name in
            guard let program = exploration.program(to: name), let route = RouteName(name) else {
                return nil
            }
            let declared = app.routes[route]
            let isDialog = declared?.presentation.isDialog ?? false
            return Screen(
                route: name, title: isDialog ? nil : declared?.texts.fixedTitle, program: program)
        }
    }

    /// The file with the tests.
    public func text(for runner: Runner) -> String {
        switch runner {
        case .playwright: playwright
        case .xcuitest: xcuitest
        }
    }

    // MARK: - Playwright

    private var playwright: String {
        var lines = [
            "// Made by navstate app explore --emit playwright. A test for each screen of the app.",
            #"import { expect, test } from "@playwright/test";"#, "",
            #"const server = process.env.NAVSTATE_URL ?? "http://127.0.0.1:8080";"#,
            "const token = process.env.NAVSTATE_TOKEN;",
            "const headers = token ? { Authorization: `Bearer ${token}` } : {};", "",
            "async function start(request, app, commands) {",
            "    const created = await request.post(`${server}/v1/sessions`, "
                + "{ headers, data: { app, labels: { test: \"explore\" } } });",
            "    expect(created.status()).toBe(201);",
            "    let session = await created.json();",
            "    for (const { command, ...data } of commands) {",
            "        const url = `${server}/v1/sessions/${session.id}/${command}`;",
            "        const answer = await request.post(url, { headers, data });",
            "        expect(answer.status()).toBe(200);",
            "        session = (await answer.json()).session;",
            "    }",
            "    return session;",
            "}", "",
            "// The heading is the title of the dialog or of the screen, in which params can be.",
            "async function shows(page, session, title) {",
            "    const address = new URLSearchParams(token ? { session: session.id, token } "
                + ": { session: session.id });",
            "    await page.goto(`${server}/display#${address}`);",
            "    const dialog = session.sheets.find((sheet) => sheet.buttons);",
            "    const name = dialog ? dialog.title : session.visible.title ?? title;",
            "    const heading = page.getByRole(\"heading\", name ? { name, exact: true } : {});",
            "    await expect(heading.last()).toBeVisible();",
            "}",
        ]
        let id = Self.script(app.id.rawValue)
        for screen in screens {
            let items = screen.program.map { "\n        \(Self.safe($0.item))," }.joined()
            let commands = items.isEmpty ? "[]" : "[\(items)\n    ]"
            lines += [
                "", "test(\(Self.script(screen.route)), async ({ page, request }) => {",
                "    const session = await start(request, \(id), \(commands));",
                "    expect(session.visible.route).toBe(\(Self.script(screen.route)));",
                "    await shows(page, session\(heading(of: screen).map { ", " + $0 } ?? ""));",
                "    await request.delete(`${server}/v1/sessions/${session.id}`, { headers });",
                "});",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The title of a screen of which a session has none, as the display shows it.
    private func heading(of screen: Screen) -> String? {
        guard let route = RouteName(screen.route) else { return nil }
        let declared = app.routes[route]
        guard declared?.presentation.isDialog != true else { return nil }
        if let title = declared?.texts.title {
            return title.isFixed ? Self.script(title.declared) : nil
        }
        let tab = app.tabs.first { $0.root.route == route && $0.id.rawValue == screen.route }
        return Self.script(tab?.title ?? Self.words(screen.route))
    }

    /// `contactDetail` as `Contact detail`.
    private static func words(_ name: String) -> String {
        var words: [UInt8] = []
        var former: UInt8 = 0x20
        for byte in name.utf8 {
            let isUpper = (0x41...0x5A).contains(byte)
            let isSpace = !isLetter(byte) && !ASCII.isDigit(byte)
            if isUpper, (0x61...0x7A).contains(former) || ASCII.isDigit(former) {
                words.append(0x20)
            }
            if !isSpace || words.last != 0x20 {
                words.append(isSpace ? 0x20 : isUpper ? byte + 0x20 : byte)
            }
            former = byte
        }
        let text = String(decoding: words, as: UTF8.self)
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private static func script(_ text: String) -> String { safe(JSON.string(text).text) }

    /// JSON as source text: these two separators end a line in older scripts.
    private static func safe(_ json: String) -> String {
        var out = ""
        for scalar in json.unicodeScalars {
            switch scalar.value {
            case 0x2028: out += #"\u2028"#
            case 0x2029: out += #"\u2029"#
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    // MARK: - XCUITest

    private var xcuitest: String {
        var lines = [
            "// Made by navstate app explore --emit xcuitest. A test for each screen of the app.",
            "import XCTest", "",
            "/// Each test restores a state, as `navstate restore-session` does, and launches the",
            "/// app, which shows the session that NAVSTATE_SESSION names.",
            "final class ScreenTests: XCTestCase {",
            "    private let server =",
            "        ProcessInfo.processInfo.environment[\"NAVSTATE_URL\"] "
                + "?? \"http://127.0.0.1:8080\"", "",
            "    private func launch(showing state: String) async throws -> XCUIApplication {",
            "        let id = \"explore-\" + UUID().uuidString",
            "        let url = try XCTUnwrap(URL(string: \"\\(server)/v1/sessions/\\(id)\"))",
            "        var request = URLRequest(url: url)",
            "        request.httpMethod = \"PUT\"",
            "        request.setValue(\"application/json\", forHTTPHeaderField: \"Content-Type\")",
            "        if let token = ProcessInfo.processInfo.environment[\"NAVSTATE_TOKEN\"] {",
            "            request.setValue(\"Bearer \\(token)\", forHTTPHeaderField: \"Authorization\")",
            "        }",
            "        request.httpBody = Data(state.utf8)",
            "        let (_, response) = try await URLSession.shared.data(for: request)",
            "        XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 201)",
            "        let app = await XCUIApplication()",
            "        await MainActor.run {",
            "            app.launchEnvironment[\"NAVSTATE_URL\"] = server",
            "            app.launchEnvironment[\"NAVSTATE_SESSION\"] = id",
            "            app.launch()",
            "        }",
            "        return app",
            "    }",
        ]
        var names: Set<ExactString> = []
        for screen in screens {
            guard let state = state(screen.program) else { continue }
            var name = Self.testName(screen.route)
            while !names.insert(ExactString(name)).inserted { name += "_" }
            lines += [
                "", "    @MainActor func \(name)() async throws {",
                "        let app = try await launch(showing: \(Self.raw(state)))",
            ]
            if let title = screen.title {
                lines.append(
                    "        XCTAssertTrue(app.navigationBars[\(Self.raw(title))]"
                        + ".waitForExistence(timeout: 5))")
            } else {
                lines.append("        XCTAssertTrue(app.wait(for: .runningForeground, timeout: 5))")
            }
            lines.append("    }")
        }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    /// The session after a program, without its id, as a PUT takes it.
    private func state(_ program: [Exploration.Step]) -> String? {
        guard var session = try? LocalSession(definition) else { return nil }
        for step in program {
            guard (try? session.perform(step.command, step.body)) != nil else { return nil }
        }
        guard var state = JSONObject(text: session.json) else { return nil }
        state["id"] = nil
        return JSON.object(state).text
    }

    private static func testName(_ route: String) -> String {
        let words = route.utf8.split { !ASCII.isDigit($0) && !isLetter($0) }
        return "test"
            + words.map { word in
                let text = String(Substring(word))
                return text.prefix(1).uppercased() + text.dropFirst()
            }.joined()
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// A string of one line in which nothing is an escape.
    private static func raw(_ text: String) -> String {
        var marks = "#"
        while ["\"\(marks)", "\\\(marks)"].contains(where: {
            text.utf8.firstRange(of: $0.utf8) != nil
        }) { marks += "#" }
        let plain = text.unicodeScalars.map { $0.value < 0x20 ? " " : String($0) }.joined()
        return "\(marks)\"\(plain)\"\(marks)"
    }
}
