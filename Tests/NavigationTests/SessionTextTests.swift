import JSON
import Navigation
import Sessions
import Testing

/// The session as text: what clients see, and what the store gives back.
@Suite struct SessionTextTests {
    @Test func `a session is written as the contract shows it, member by member`() throws {
        var world = try World(
            app: app(
                """
                {"routes":{"detail":{"hidesTabBar":true,"params":{"type":"object"}},
                "compose":{"presentation":"sheet"}},
                "tabs":[{"id":"chats","root":"list","routes":["detail"]},{"id":"settings"}]}
                """))
        world.session.settings = SessionSettings(
            labels: [Label(key: "room", value: "lobby")], ttlSeconds: 60)
        try world.run(.setBadge, #"{"tab":"chats","badge":3}"#)
        try world.run(.navigate, #"{"route":"detail","params":{"n":1}}"#)
        try world.run(.present, #"{"route":"compose"}"#)
        #expect(
            world.text
                == [
                    #"{"id":"s","revision":4,"app":"test","labels":{"room":"lobby"},"#,
                    #""ttlSeconds":60,"createdAt":"2026-11-21T12:00:00Z","#,
                    #""updatedAt":"2026-11-21T12:00:00Z","expiresAt":"2026-11-21T12:01:00Z","#,
                    #""selectedTab":"chats","tabs":[{"id":"chats","badge":3,"path":["#,
                    #"{"id":"e1","route":"detail","params":{"n":1}}]},{"id":"settings","path":[]}],"#,
                    #""sheets":[{"id":"e2","style":"sheet","route":"compose","params":{},"#,
                    #""presentedBy":"e1","path":[]}],"visible":{"container":"e2","entry":"e2","#,
                    #""route":"compose","params":{},"tabBarHidden":true},"#,
                    #""canGoBack":true,"canUndo":true,"canRedo":false,"nextEntry":3}"#,
                ].joined())
    }

    @Test func `a tab's root has the id of the tab, and its declaration counts`() throws {
        let world = try World(
            app: app(
                """
                {"routes":{"home":{"hidesTabBar":true}},"tabs":[{"id":"a","root":"home"}]}
                """))
        #expect(
            world.json.object("visible")
                == (try object(
                    #"{"container":"a","entry":"a","route":"home","params":{},"tabBarHidden":true}"#
                )))
    }

    @Test func `a free-form session shows its tab's own name`() throws {
        let world = try World()
        #expect(
            world.json.object("visible")
                == (try object(
                    #"{"container":"main","entry":"main","route":"main","params":{},"tabBarHidden":false}"#
                )))
        #expect(world.json["app"] == nil)
        #expect(world.json["labels"] == nil)
        #expect(world.json["ttlSeconds"] == nil)
        #expect(world.json["expiresAt"] == nil)
    }

    @Test func `a time between two seconds is the same before and after the store`() throws {
        let session = Session(
            id: SessionID(trusted: "s"), app: nil, settings: SessionSettings(),
            at: World.noon + 999,
            state: NavigationState(tabs: [Tab(id: TabID(trusted: "a"))]))
        let world = World(session)
        #expect(try SessionDecoder.decode(world.record) == session)
        #expect(world.json.string("createdAt") == "2026-11-21T12:00:00Z")
    }

    @Test(arguments: [
        #"{"é":"é","e\u0301":"𝄞\n\"\\\u0000"}"#, #"{"n":9007199254740993,"m":-1.0,"x":1e300}"#,
        #"{"a":[[[{}]]],"b":null,"c":true}"#,
    ])
    func `params come back as they were`(_ params: String) throws {
        var world = try World()
        try world.run(.navigate, #"{"route":"x","params":\#(params)}"#)
        #expect(world.json.object("visible")["params"] == (try .object(object(params))))
    }

    @Test func `params that a body could just nest read back from the session`() throws {
        // 64 levels in a body whose params lie one below its root.
        let nested = String(repeating: "[", count: 62) + String(repeating: "]", count: 62)
        var world = try World()
        try world.run(.navigate, #"{"route":"x","params":{"a":\#(nested)}}"#)
        let record = world.record
        #expect(try SessionDecoder.decode(record) == world.session)
        #expect(try world.run(.setParams, #"{"params":{"b":1}}"#).changed)
    }

    @Test func `what stands behind the sheets is not looked at`() throws {
        let world = try World()
        var record = world.record
        let place = try #require(Array(#","visible""#.utf8).first(in: record.state))
        record.state.removeSubrange((place + 1)...)
        #expect(try SessionDecoder.decode(record) == world.session)
    }

    static let damaged: [String] = [
        #"{"selectedTab":"a","tabs":[],"sheets":[]}"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[]}]}"#,
        #"{"tabs":[{"id":"a","path":[]}],"sheets":[]}"#,
        #"{"selectedTab":"b","tabs":[{"id":"a","path":[]}],"sheets":[]}"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[{"id":"x","route":"r","params":{}}]}]}"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[{"id":"e1","params":{}}]}]}"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[{"route":"r","params":{}}]}]}"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[]}],"createdAt":"yesterday"}"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[]}],"sheets":[{"id":"e1","style":"x"}]}"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[{"id":"e1","route":"r","params":[]}]}]}"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[]}]"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[]}]],"sheets":[]}"#,
        #"{"selectedTab":"a","tabs":[{"id":"a","path":[]}],"sheets":[}"#,
        "[]", "",
    ]

    @Test(arguments: damaged)
    func `a damaged text is an error and never half a session`(_ text: String) throws {
        var record = try World().record
        record.state = Array(text.utf8)
        #expect(throws: SessionDecoder.Failure.self) { try SessionDecoder.decode(record) }
    }
}

extension [UInt8] {
    /// Where these bytes begin in others.
    fileprivate func first(in others: [UInt8]) -> Int? {
        (0...others.count - count).first { others[$0..<$0 + count].elementsEqual(self) }
    }
}
