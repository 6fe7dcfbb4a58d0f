import Foundation
import NavstateTesting
import Testing

@testable import NavstateClient

/// The router while the connection is lost, and when another client is faster.
@MainActor @Suite struct RouterOfflineTests {
    typealias Session = TestSession<Store.Screen>

    @Test(arguments: [ReconnectPolicy.pull, .push])
    func `a router without a connection carries on`(policy: ReconnectPolicy) async throws {
        let test = try Session(reconnectPolicy: policy)
        await expect(test.router).shows(.home)
        test.disconnect()
        test.router.navigate(to: .page(n: 1))
        test.router.present(.login)
        await expect(test.router).presents(.login)
        #expect(test.router.connection == .offline && !test.router.isSettled)
        let sheet = try #require(test.router.sheet)
        try await test.other.setBadge(of: "account", 3)
        try await test.other.navigate(to: Nav.Destination("page", params: ["n": 9]), in: "account")
        test.reconnect()
        await test.router.settled()
        #expect(test.router.connection == .live && test.router.isSettled)
        #expect(test.router.confirmed == test.server.state)
        #expect(test.router.tabs.last?.badge == 3)
        expectNow(test.router).path([.page(n: 9)], in: .account)
        expectNow(test.router).path(policy == .push ? [.page(n: 1)] : [], in: .shop)
        #expect(test.router.sheet == (policy == .push ? sheet : nil), "a sheet stays up")
        #expect(policy == .push || test.router.error == .dropped)
    }

    @Test func `without a connection the rules refuse at once`() async throws {
        let test = try Session(reconnectPolicy: .push)
        await expect(test.router).shows(.home)
        test.disconnect()
        test.router.navigate(to: .stock)
        expectNow(test.router).refuses("guarded")
        test.router.navigate(to: .orders)
        expectNow(test.router).presents(.login)
        test.router.setFacts { $0.signedIn = true }
        expectNow(test.router).shows(.orders)
        test.reconnect()
        await expect(test.router).path([.orders], in: .shop)
        #expect(test.server.path(of: "shop") == ["orders"] && test.server.state?.pending == nil)
    }

    @Test func `one that is refused is reported, and the next ones are tried`() async throws {
        let test = try Session(reconnectPolicy: .push)
        await expect(test.router).shows(.home)
        test.disconnect()
        test.router.present(.login)
        test.router.navigate(to: .page(n: 1), in: .account)
        await expect(test.router).path([.page(n: 1)], in: .account)
        try await test.other.present(Dialog(title: "Wait"))
        test.reconnect()
        await expect(test.router).refuses("dialog-open")
        #expect(test.router.dialog?.title == "Wait" && test.router.presentedScreens.isEmpty)
        #expect(test.server.path(of: "account") == ["page"])
        #expect(test.router.confirmed == test.server.state && test.router.isSettled)
    }

    @Test func `a lost answer is asked for again, and counts once`() async throws {
        let test = try Session()
        await expect(test.router).shows(.home)
        test.loseNextAnswer()
        test.router.navigate(to: .page(n: 1))
        test.router.navigate(to: .page(n: 2))
        await expect(test.router).path([.page(n: 1), .page(n: 2)], in: .shop)
        #expect(test.server.path(of: "shop") == ["page", "page"] && test.router.error == nil)
    }

    @Test func `a sheet keeps its identity if somebody else was faster`() async throws {
        let test = try Session()
        await expect(test.router).shows(.home)
        try await test.other.navigate(to: Nav.Destination("page", params: ["n": 1]), in: "shop")
        // The event has not arrived yet, so that the ids here are those that others have.
        test.router.present(.login)
        let sheet = try #require(test.router.sheet)
        test.router.navigate(to: .page(n: 2), in: sheet.id)
        #expect(test.router[sheet.id] == [.page(n: 2)])
        await expect(test.router).shows(.page(n: 2))
        #expect(test.router.sheet == sheet)
        #expect(test.server.state?.sheets.map(\.id) == ["e2"])
        expectNow(test.router).path([.page(n: 1)], in: .shop)
    }

    @Test func `commands follow what they name to its new id`() async throws {
        let transport = try FateTransport()
        let router = Router<Store.Screen>(transport.session(), stepPause: .zero)
        let task = Task { await router.run() }
        try await eventually { router.connection == .live }
        let page = Nav.Destination("page", params: ["n": 9])
        transport.next("POST", .overtaken(.present(page)))
        router.present(.page(n: 1))
        let sheet = try #require(router.sheet)
        router.navigate(to: .page(n: 2))
        router[sheet.id].append(.page(n: 3))
        #expect(router[sheet.id] == [.page(n: 2), .page(n: 3)])
        await router.settled()
        #expect(router.presentedScreens.map(\.screen) == [.page(n: 9), .page(n: 1)])
        #expect(router.presentedScreens.last?.id == sheet.id)
        let paths = transport.server.state?.sheets.map { $0.path.count }
        #expect(paths == [0, 2] && router.error == nil)
        #expect(router[sheet.id] == [.page(n: 2), .page(n: 3)])
        task.cancel()
    }

    @Test func `commands to a sheet that was refused are not sent`() async throws {
        let transport = try FateTransport()
        let router = Router<Store.Screen>(transport.session(), stepPause: .zero)
        let task = Task { await router.run() }
        try await eventually { router.connection == .live }
        let dialog = Dialog(title: "Wait")
        transport.next("POST", .overtaken(.present(dialog)))
        router.present(.page(n: 1))
        let sheet = try #require(router.sheet)
        router[sheet.id].append(.page(n: 2))
        await router.settled()
        #expect(router.error?.problem?.code == "dialog-open")
        #expect(transport.requests == ["POST"] && router.isSettled)
        #expect(router.dialog?.title == "Wait" && router.presentedScreens.isEmpty)
        task.cancel()
    }

    @Test func `nothing is presented while the sheets are changing`() async throws {
        let test = try Session(stepPause: .seconds(1))
        await test.router.answered()
        let router = test.router
        router.present(.login)
        router.present(.gallery)
        #expect(router.presentedScreens.map(\.screen) == [.login])
        router.dismissSheet()
        router.dismissSheet()
        #expect(router.presentedScreens.isEmpty, "a dismissal does not wait")
        router.present(.tips)
        router.navigate(to: .page(n: 1), in: .account)
        #expect(router.presentedScreens.isEmpty && router.tab == .account, "paths do not wait")
        await router.answered()
        #expect(router.presentedScreens.isEmpty)
        #expect(test.server.state?.sheets.map(\.route) == ["tips"])
        test.clock.advance(by: .seconds(1))
        await expect(router).presents(.tips)
    }

    @Test func `only the clock moves time`() async throws {
        let test = try Session()
        let options = PresentationOptions(ttlSeconds: 30)
        test.router.present(.login, presentation: options)
        await expect(test.router).presents(.login)
        test.clock.advance(by: .seconds(29))
        await expect(test.router).presents(.login)
        test.clock.advance(by: .seconds(1))
        await expect(test.router).shows(.home)
        #expect(try await test.other.sheet("e1").isDismissed)
    }

    @Test func `another client is answered like by a server`() async throws {
        let test = try Session(from: .screens([.page(n: 1)]))
        let other = test.other
        let (state, etag) = try await other.taggedState()
        #expect(state == test.server.state)
        async let next = other.waitForChange(after: etag, seconds: 60)
        let dry = ChangeOptions(isDryRun: true)
        #expect(try await other.root(options: dry).session.tabs[0].path.isEmpty)
        #expect(test.server.path(of: "shop") == ["page"])
        try await other.root()
        #expect(try await next?.session.tabs[0].path.isEmpty == true)
        await #expect(throws: NavstateError.self) {
            try await other.root(options: ChangeOptions(ifMatch: etag))
        }
        #expect(try await other.state(at: state.revision) == state)
        try await other.restore(state)
        await expect(test.router).shows(.page(n: 1))
        #expect(try await other.history().history.map(\.command.name) == ["restore", "root"])
        #expect(try await other.allowed().tabs.map(\.id) == ["shop", "search", "account"])
        await #expect(throws: NavstateError.self) { try await other.link() }
        let token = try await other.createToken(.read, name: "reader")
        _ = try await other.createToken(.read, name: "second")
        try await other.revokeToken(token.id)
        _ = try await other.createToken(.read, name: "third")
        #expect(Set(try await other.tokens().map(\.name)) == ["second", "third"])
        try await other.update(labels: ["room": "lobby"])
        await test.router.settled()
        #expect(test.router.confirmed?.labels == ["room": "lobby"])
        try await other.delete()
        try await eventually { test.router.connection == .ended(.deleted) }
    }

    @Test func `a session whose time is over is gone`() async throws {
        let test = try Session()
        try await test.other.update(ttlSeconds: 60)
        test.clock.advance(by: .seconds(59))
        try await test.other.navigate(to: Nav.Destination("page", params: ["n": 1]))
        test.clock.advance(by: .seconds(59))
        #expect(test.server.state?.revision == 3)
        test.clock.advance(by: .seconds(1))
        #expect(test.server.state == nil)
        try await eventually { test.router.connection == .ended(.expired) }
    }

    @Test func `a check that fails says what is shown`() async throws {
        let test = try Session(from: .screens([.page(n: 1)]), sheets: [.login])
        await withKnownIssue {
            await expect(test.router).shows(.home)
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.contains("shows login, not home.")
                && text.contains(#"* shop / page {"n":1}"#)
                && text.contains("sheet login")
                && issue.sourceLocation?.fileName == "RouterOfflineTests.swift"
        }
        withKnownIssue { expectNow(test.router).presents(.login, style: .popover) }
        withKnownIssue { expectNow(test.router).tab(.account) }
        withKnownIssue { expectNow(test.router).holds(.staff) }
        withKnownIssue { expectNow(test.router).refuses("guarded") }
        withKnownIssue { expectNow(test.router).tabBarHidden(false) }
        withKnownIssue { expectNow(test.router).path([], in: .shop) }
    }
}
