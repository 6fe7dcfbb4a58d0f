public import NavstateClient

#if canImport(Testing)
    internal import Testing
#endif
#if canImport(XCTest)
    internal import XCTest
#endif

/// Checks what a router shows once everything is answered and shown.
///
/// ```swift
/// await expect(test.router).shows(.order(id: "7"))
/// ```
@MainActor public func expect<Screen: AppScreen>(
    _ router: Router<Screen>, fileID: String = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
) -> Expectation<Screen> {
    Expectation(
        now: expectNow(router, fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Checks what a router shows at this moment.
@MainActor public func expectNow<Screen: AppScreen>(
    _ router: Router<Screen>, fileID: String = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
) -> ExpectationNow<Screen> {
    ExpectationNow(router: router) { message in
        #if canImport(Testing)
            if Test.current != nil {
                let place = SourceLocation(
                    fileID: fileID, filePath: "\(filePath)", line: line, column: column)
                Issue.record(Comment(rawValue: message), sourceLocation: place)
                return
            }
        #endif
        #if canImport(XCTest)
            XCTFail(message, file: filePath, line: UInt(line))
        #endif
    }
}

/// Checks of what a router shows, each of which waits until everything is answered and shown.
@MainActor public struct Expectation<Screen: AppScreen> {
    let now: ExpectationNow<Screen>

    /// The user sees this screen.
    public func shows(_ screen: Screen) async { await check { $0.shows(screen) } }
    /// This screen is presented on top; in this style, if one is given.
    public func presents(_ screen: Screen, style: SheetStyle? = nil) async {
        await check { $0.presents(screen, style: style) }
    }
    /// These screens are above the root of a tab.
    public func path(_ screens: [Screen], in tab: Screen.Tab) async {
        await check { $0.path(screens, in: tab) }
    }
    /// This tab is selected.
    public func tab(_ tab: Screen.Tab) async { await check { $0.tab(tab) } }
    /// The tab bar is hidden, or not.
    public func tabBarHidden(_ isHidden: Bool = true) async {
        await check { $0.tabBarHidden(isHidden) }
    }
    /// A command is held back by this guard.
    public func holds(_ guard: Screen.Guard) async { await check { $0.holds(`guard`) } }
    /// The last change that failed was refused with this code.
    public func refuses(_ code: String) async { await check { $0.refuses(code) } }

    /// Something that the test has started may have to run first, so that a check that fails is
    /// repeated for a moment.
    private func check(_ check: (ExpectationNow<Screen>) -> Void) async {
        for attempt in 0..<200 {
            await now.router.settled()
            var isRight = true
            check(ExpectationNow(router: now.router) { _ in isRight = false })
            if isRight { return }
            await Task.yield()
            if attempt >= 100 { try? await Task.sleep(for: .milliseconds(1)) }
        }
        check(now)
    }
}

/// The checks of `Expectation` at this moment.
@MainActor public struct ExpectationNow<Screen: AppScreen> {
    let router: Router<Screen>
    let fail: (String) -> Void

    /// The visible screen is this one.
    public func shows(_ screen: Screen) { compare("shows", router.visibleScreen, to: screen) }
    /// The topmost sheet shows this screen, in this style if one is given.
    public func presents(_ screen: Screen, style: SheetStyle? = nil) {
        let top = router.state?.sheets.last
        compare("presents", top.flatMap { router.screen(of: $0) }, to: screen)
        if let style { compare("presents in the style", top?.style.rawValue, to: style.rawValue) }
    }
    /// The path of a tab has these screens.
    public func path(_ screens: [Screen], in tab: Screen.Tab) {
        compare("has the path", router.path(of: tab.rawValue), to: screens)
    }
    /// This tab is selected.
    public func tab(_ tab: Screen.Tab) { compare("has selected", router.tab, to: tab) }
    /// The tab bar is hidden, or is not.
    public func tabBarHidden(_ isHidden: Bool = true) {
        compare("has tabBarHidden", router.tabBarHidden, to: isHidden)
    }
    /// A command is held back by this guard.
    public func holds(_ guard: Screen.Guard) {
        compare("is held by", router.state?.pending?.guard, to: `guard`.rawValue)
    }
    /// The last change that failed was refused with this code.
    public func refuses(_ code: String) {
        compare("was refused with", router.error?.problem?.code, to: code)
    }

    private func compare<Value: Equatable>(_ verb: String, _ found: Value?, to wanted: Value) {
        guard found != wanted else { return }
        let commands = router.recentCommands.map { "\n  \($0.name) \($0.body)" }.joined()
        fail(
            "The router \(verb) \(found.map { "\($0)" } ?? "nothing"), not \(wanted).\n"
                + "\(router.drawing)\nlast commands:\(commands)")
    }
}

extension Router {
    /// The state as text: a line for each tab and sheet.
    fileprivate var drawing: String {
        guard let state else { return "nothing is shown" }
        func line(_ name: String, _ path: [Nav.Entry]) -> String {
            ([name] + path.map { $0.params == [:] ? $0.route : "\($0.route) \($0.params.text)" })
                .joined(separator: " / ")
        }
        let tabs = state.tabs.map {
            line(($0.id == state.selectedTab ? "* " : "  ") + $0.id, $0.path)
        }
        let sheets = state.sheets.map { line("  \($0.style.rawValue) \($0.route)", $0.path) }
        let facts = state.facts.isEmpty ? [] : ["  facts \(JSONValue.object(state.facts).text)"]
        return (tabs + sheets + facts).joined(separator: "\n")
    }
}

extension Nav.Command {
    var body: String { JSONValue.object(members).text }
}
