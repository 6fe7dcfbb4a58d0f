import Foundation
import NavstateClient
import NavstateRules
import NavstateTesting
import Testing

/// The router as the user of an app sees it, with the rules of the server and without a server.
@MainActor @Suite struct RouterTests {
    typealias Session = TestSession<Store.Screen>

    @Test func `a link survives the login`() async throws {
        let test = try Session()
        #expect(test.router.open(Store.Link.order(id: "7")))
        expectNow(test.router).presents(.login, style: .sheet)
        expectNow(test.router).holds(.member)
        await expect(test.router).shows(.login)
        test.router.setFacts { $0.signedIn = true }
        expectNow(test.router).shows(.order(id: "7"))
        await expect(test.router).path([.orders, .order(id: "7")], in: .shop)
        #expect(test.server.state?.pending == nil && test.router.facts.signedIn)
    }

    @Test func `what the user does is shown at once and sent`() async throws {
        let test = try Session()
        let router = test.router
        router.navigate(to: .page(n: 1))
        router["shop"].append(.page(n: 2))
        expectNow(router).path([.page(n: 1), .page(n: 2)], in: .shop)
        expectNow(router).tabBarHidden()
        router["shop"].removeLast()
        router.tab = .account
        expectNow(router).shows(.profile)
        expectNow(router).tabBarHidden(false)
        router.present(.login)
        router.present(.page(n: 3), style: .fullScreenCover)
        #expect(router.presentedScreens.map(\.style) == [.sheet, .fullScreenCover])
        #expect(router.presented(at: 1, style: .fullScreenCover)?.screen == .page(n: 3))
        #expect(router.sheet?.screen == .login && router.fullScreenCover == nil)
        let ids = router.presentedScreens.map(\.id)
        #expect(test.server.state?.revision == 1, "nothing has been sent yet")
        await expect(router).presents(.page(n: 3), style: .fullScreenCover)
        #expect(router.presentedScreens.map(\.id) == ids, "the sheets keep their identity")
        #expect(test.server.path(of: "shop") == ["page"])
        #expect(test.server.state?.sheets.map(\.route) == ["login", "page"])
        router.sheet = nil
        #expect(router.presentedScreens.isEmpty)
        router.navigateToRoot(.all)
        await expect(router).shows(.home)
        #expect(test.server.state?.visible.route == "home" && router.error == nil)
    }

    @Test func `a command that the rules refuse is not shown, and its answer decides`() async throws
    {
        let test = try Session()
        test.router.navigate(to: .stock)
        expectNow(test.router).shows(.home)
        #expect(test.router.error == nil)
        await expect(test.router).refuses("guarded")
        #expect(test.router.error?.localizedDescription.hasPrefix("409 guarded: ") == true)
        test.router.setFacts { $0.role = .clerk }
        test.router.navigate(to: .stock)
        await expect(test.router).shows(.stock)
        #expect(test.router.facts == .with { $0.role = .clerk })
    }

    @Test func `only what differs is sent as facts`() async throws {
        let test = try Session(facts: .with { $0.signedIn = true })
        test.router.setFacts { $0.signedIn = true }
        test.router.setFacts { $0.role = .clerk }
        await test.router.settled()
        let history = try await test.other.history().history
        #expect(history.map(\.command) == [.setFacts(["role": "clerk"])])
    }

    @Test func `going back, to a screen, a mark and by steps`() async throws {
        let test = try Session(from: .screens((1...5).map { .page(n: $0) }, in: .shop))
        let router = test.router
        #expect(router.canGoBack && !router.canUndo)
        router.back(to: .page(n: 4))
        expectNow(router).shows(.page(n: 4))
        router.back(count: 2)
        expectNow(router).shows(.page(n: 2))
        #expect(router.canUndo && !router.canRedo)
        router.undo()
        expectNow(router).shows(.page(n: 4))
        #expect(router.canRedo)
        router.redo()
        await expect(router).shows(.page(n: 2))
        try await test.other.navigate(to: Nav.Destination("page", params: ["n": 6], mark: "m"))
        router.navigate(to: .page(n: 7))
        router.back(to: .mark("m"))
        await expect(router).shows(.page(n: 6))
        router.back(to: .page(n: 1), inclusive: true)
        await expect(router).shows(.home)
        #expect(!router.canGoBack)
    }

    @Test func `going back to a screen that is not there is refused`() async throws {
        let test = try Session(
            from: .screens([.order(id: "8"), .page(n: 1)], in: .shop),
            facts: .with { $0.signedIn = true })
        let router = test.router
        await expect(router).shows(.page(n: 1))
        let revision = test.server.state?.revision
        router.back(to: .order(id: "7"))
        router.back(to: .profile)
        expectNow(router).refuses("entry-not-found")
        #expect(router.error?.problem?.detail.contains("profile") == true)
        await expect(router).path([.order(id: "8"), .page(n: 1)], in: .shop)
        #expect(test.server.state?.revision == revision)
        router.back(to: .order(id: "8"))
        await expect(router).shows(.order(id: "8"))
    }

    @Test func `going back to the root of a tab or a sheet`() async throws {
        let test = try Session()
        let router = test.router
        router.select(.search, params: .search(query: "milk"))
        router.navigate(to: .page(n: 1))
        router.back(to: .search(query: "tea"))
        expectNow(router).refuses("entry-not-found")
        expectNow(router).shows(.page(n: 1))
        router.back(to: .search(query: "milk"))
        expectNow(router).shows(.search(query: "milk"))
        router.present(.page(n: 1))
        router.navigate(to: .page(n: 2))
        router.navigate(to: .page(n: 3))
        router.back(to: .page(n: 1))
        expectNow(router).shows(.page(n: 1))
        await expect(router).presents(.page(n: 1))
        #expect(test.server.state?.sheets.map(\.path.count) == [0])
        router.back(to: .page(n: 1), inclusive: true)
        await expect(router).shows(.search(query: "milk"))
        #expect(test.server.state?.sheets.isEmpty == true)
    }

    @Test func `modes and containers are those of the server`() async throws {
        let test = try Session()
        test.router.navigate(to: .page(n: 1), in: .account)
        test.router.navigate(to: .page(n: 2), mode: .replace)
        await expect(test.router).tab(.account)
        await expect(test.router).path([.page(n: 2)], in: .account)
        test.router.navigate(to: .page(n: 3), in: .search)
        await expect(test.router).path([.page(n: 3)], in: .search)
    }

    @Test func `a tab is selected with the params of its root`() async throws {
        let test = try Session()
        test.router.select(.search)
        expectNow(test.router).shows(.search(query: "tea"))
        test.router.navigate(to: .page(n: 1))
        test.router.select(.search, params: .search(query: "coffee"), emptiesPath: true)
        await expect(test.router).shows(.search(query: "coffee"))
        test.router.open(Store.Link.search(query: "milk"))
        await expect(test.router).shows(.search(query: "milk"))
        #expect(test.router.root(of: "search") == .search(query: "milk"))
        test.router.setRoot(.search(query: "rum"), of: "search")
        await expect(test.router).shows(.search(query: "rum"))
    }

    @Test func `a screen is presented in the style of its route`() async throws {
        let test = try Session()
        test.router.present(.help, presentation: PresentationOptions(anchor: "more"))
        expectNow(test.router).presents(.help, style: .popover)
        #expect(test.router.presented(at: 0, style: .popover)?.anchor == "more")
        test.router.present(.tips)
        await expect(test.router).presents(.tips, style: .inspector)
        expectNow(test.router).tabBarHidden(false)
        test.router.present(.gallery)
        await expect(test.router).presents(.gallery, style: .fullScreenCover)
        expectNow(test.router).tabBarHidden()
        test.router.dismissSheet()
        await expect(test.router).presents(.tips, style: .inspector)
    }

    @Test func `whether there is a link is known at once`() throws {
        let test = try Session()
        #expect(test.router.open(Store.Link.search(query: "a b/c")))
        #expect(test.router.root(of: "search") == .search(query: "a b/c"))
        let unknown = try #require(URL(string: "https://store.example/nowhere"))
        #expect(!test.router.open(unknown))
    }

    @Test func `an app is explored`() throws {
        let report = try Session.explore(depth: 3)
        #expect(report.findings.isEmpty, "\(report)")
        #expect(report.screens == Set(report.declared))
    }

    @Test func `a session begins anywhere`() async throws {
        let test = try Session(
            from: .screens([.orders, .order(id: "1")], in: .shop),
            facts: .with { $0.signedIn = true }, sheets: [.login, .remove(id: "1")])
        expectNow(test.router).presents(.remove(id: "1"), style: .sheet)
        expectNow(test.router).path([.orders, .order(id: "1")], in: .shop)
        await expect(test.router).presents(.remove(id: "1"))
        #expect(throws: Rejection.self) { try Session(from: .screens([.orders])) }
        #expect(throws: Rejection.self) { try Session(from: .screens([.tips], in: .account)) }
    }
}

/// Questions and dialogs.
@MainActor @Suite struct RouterQuestionTests {
    typealias Session = TestSession<Store.Screen>

    @Test func `a question has a typed answer`() async throws {
        let test = try Session()
        async let answer = test.router.ask(.remove(id: "7"))
        await expect(test.router).presents(.remove(id: "7"), style: .sheet)
        test.router.answer(.reset, .keep)
        expectNow(test.router).presents(.remove(id: "7"))
        test.router.answer(.remove, true)
        #expect(try await answer == true)
    }

    @Test func `a question that is swiped away has no answer`() async throws {
        let test = try Session()
        async let answer = test.router.ask(.remove(id: "7"))
        await expect(test.router).presents(.remove(id: "7"))
        test.router.sheet = nil
        #expect(try await answer == nil)
    }

    @Test func `anybody can answer`() async throws {
        let test = try Session()
        async let answer = test.router.ask(.remove(id: "7"))
        await expect(test.router).presents(.remove(id: "7"))
        try await test.other.dismiss(result: true)
        #expect(try await answer == true)
        async let untyped = test.router.ask(.login)
        await expect(test.router).presents(.login)
        test.router.dismissSheet(result: ["n": 1])
        let result = try await untyped
        #expect(result?["n"] == 1)
    }

    @Test func `a question that a guard holds back is refused`() async throws {
        let test = try Session()
        await #expect(throws: NavstateError.self) { try await test.router.ask(Store.Screen.orders) }
        expectNow(test.router).shows(.home)
    }

    @Test func `a dialog of the app answers with its button`() async throws {
        let test = try Session()
        async let answer: Store.ResetButton? = test.router.ask(.reset(what: "all"))
        await expect(test.router).presents(.reset(what: "all"), style: .alert)
        #expect(test.router.dialog?.title == "Reset all?")
        test.router.answer(.reset, .reset)
        #expect(try await answer == .reset)
        async let kept: Store.ResetButton? = test.router.ask(.reset(what: "all"))
        await expect(test.router).presents(.reset(what: "all"))
        test.router.navigateBack()
        #expect(try await kept == .keep)
    }

    @Test func `a dialog is shown over the top sheet, and its button answers`() async throws {
        let test = try Session(sheets: [.login])
        let dialog = Dialog(
            title: "Delete?",
            buttons: [
                DialogButton("delete", title: "Delete", role: .destructive),
                DialogButton("keep", title: "Keep", role: .cancel),
            ])
        async let answer = test.router.ask(dialog)
        await test.router.settled()
        let shown = try #require(test.router.dialog)
        #expect(shown.title == "Delete?" && shown.buttons.count == 2)
        #expect(test.router.presentedScreens.count == 1)
        test.router.navigate(to: .page(n: 1), in: .shop)
        test.router.press(shown.buttons[0], of: shown)
        #expect(test.router.dialog == nil)
        // Pressed twice, it is sent once.
        test.router.press(shown.buttons[0], of: shown)
        #expect(try await answer == "delete")
        expectNow(test.router).presents(.login)
    }

    @Test func `a sheet that cannot be swiped away can be answered`() async throws {
        let test = try Session()
        let locked = PresentationOptions(tag: "t", detents: ["medium"], isDismissible: false)
        let question = Task { try await test.router.ask(.login, presentation: locked) }
        await expect(test.router).presents(.login)
        let sheet = try #require(test.router.sheet)
        #expect(sheet.detents == ["medium"] && !sheet.isDismissible)
        test.router.sheet = nil
        await expect(test.router).presents(.login)
        test.router.dismissSheet(result: true)
        #expect(try await question.value == true)
    }
}
