import JSON
import Navigation
import Testing

@Suite struct CreateSessionTests {
    private func create(_ body: String, app: App? = nil) throws -> Session {
        try CreateSession(try object(body), limits: Limits(), work: WorkBudget())
            .session(id: SessionID(trusted: "fresh"), app: app, at: World.noon)
    }

    @Test func `an empty body makes a session of one tab`() throws {
        let session = try create("{}")
        #expect(session.id.rawValue == "fresh")
        #expect(session.revision == 1)
        #expect(session.state == NavigationState(tabs: [Tab(id: TabID(trusted: "main"))]))
        #expect(session.settings == SessionSettings())
        #expect(session.expiresAt == nil)
        #expect(World(session).flaw == nil)
    }

    @Test func `a body may name the id, the tabs, the selection, labels and the time to live`()
        throws
    {
        let session = try create(
            """
            {"id":"kiosk-1","tabs":["a","b"],"selectedTab":"b","ttlSeconds":60,
             "labels":{"z":"1","a":""}}
            """)
        let world = World(session)
        #expect(session.id.rawValue == "kiosk-1")
        #expect(world.picture == "a [] b* []")
        #expect(world.json["labels"]?.text == #"{"z":"1","a":""}"#, "in their order")
        #expect(session.expiresAt == World.noon + 60_000)
    }

    @Test func `an app brings its tabs`() throws {
        let app = try app(#"{"tabs":[{"id":"a"},{"id":"b"}]}"#)
        let session = try create(#"{"app":"test","selectedTab":"b"}"#, app: app)
        #expect(session.app?.rawValue == "test")
        #expect(World(session, app: app).picture == "a [] b* []")
    }

    @Test func `a selection that is no tab is not found`() throws {
        #expect(throws: RejectionError.tabNotFound("x", known: [TabID(trusted: "main")])) {
            try create(#"{"selectedTab":"x"}"#)
        }
    }

    static let wrong: [(body: String, pointers: [String])] = [
        (#"{"id":""}"#, ["/id"]),
        (#"{"id":"a b","app":"-"}"#, ["/id", "/app"]),
        (#"{"app":"x","tabs":["a"]}"#, ["/tabs"]),
        (#"{"tabs":[]}"#, ["/tabs"]),
        (#"{"tabs":"a"}"#, ["/tabs"]),
        (
            #"{"tabs":["a","a","active",1,"e1","visible"]}"#,
            ["/tabs/1", "/tabs/2", "/tabs/3", "/tabs/4", "/tabs/5"]
        ),
        (#"{"ttlSeconds":0}"#, ["/ttlSeconds"]),
        (#"{"ttlSeconds":1.5}"#, ["/ttlSeconds"]),
        (#"{"ttlSeconds":3155760001}"#, ["/ttlSeconds"]),
        (#"{"labels":{"a b":"x"}}"#, ["/labels/a b"]),
        (#"{"labels":{"a/b~":"x","c":1,"":"y"}}"#, ["/labels/a~1b~0", "/labels/c", "/labels/"]),
        (#"{"labels":[]}"#, ["/labels"]),
        (#"{"selectedTab":1,"path":[]}"#, ["/selectedTab", "/path"]),
    ]

    @Test(arguments: wrong)
    func `a wrong body is told with every place`(_ body: String, _ pointers: [String]) throws {
        let refusal = try #require(throws: RejectionError.self) { try create(body) }
        #expect(refusal.problem == "invalid-request")
        #expect(refusal.pointers == pointers)
    }

    @Test func `tabs and labels have limits`() throws {
        func names(_ count: Int) -> String {
            (1...count).map { "\"t\($0)\"" }.joined(separator: ",")
        }
        func labels(_ count: Int, _ bytes: Int) -> String {
            let value = String(repeating: "v", count: bytes)
            return (1...count).map { "\"l\($0)\":\"\(value)\"" }.joined(separator: ",")
        }
        #expect(try create(#"{"tabs":[\#(names(32))]}"#).state.tabs.count == 32)
        #expect(throws: RejectionError.self) { try create(#"{"tabs":[\#(names(33))]}"#) }
        #expect(try create(#"{"labels":{\#(labels(16, 256))}}"#).settings.labels.count == 16)
        #expect(throws: RejectionError.self) { try create(#"{"labels":{\#(labels(17, 1))}}"#) }
        #expect(throws: RejectionError.self) { try create(#"{"labels":{\#(labels(1, 257))}}"#) }
    }
}

@Suite struct PatchSessionTests {
    private static let old = SessionSettings(
        labels: [Label(key: "a", value: "1"), Label(key: "b", value: "2")], ttlSeconds: 60)

    private func patched(_ body: String) throws -> SessionSettings {
        try PatchSession(try object(body), limits: Limits(), work: WorkBudget())
            .apply(to: Self.old, work: WorkBudget())
    }

    static let patches: [(body: String, labels: String, ttl: Int?)] = [
        ("{}", "a=1 b=2", 60),
        (#"{"labels":{}}"#, "a=1 b=2", 60),
        (#"{"labels":{"a":"3","c":"4"}}"#, "a=3 b=2 c=4", 60),
        (#"{"labels":{"a":null,"x":null}}"#, "b=2", 60),
        (#"{"labels":null}"#, "", 60),
        (#"{"ttlSeconds":5}"#, "a=1 b=2", 5),
        (#"{"ttlSeconds":null}"#, "a=1 b=2", nil),
    ]

    @Test(arguments: patches)
    func `labels and the time to live are merged`(
        _ body: String, _ labels: String, _ ttl: Int?
    ) throws {
        let settings = try patched(body)
        #expect(
            settings.labels.map { "\($0.key)=\($0.value)" }.joined(separator: " ") == labels)
        #expect(settings.ttlSeconds == ttl)
    }

    static let wrong: [(body: String, pointers: [String])] = [
        (#"{"labels":1}"#, ["/labels"]),
        (#"{"labels":{"a":1,"-":"x"}}"#, ["/labels/a", "/labels/-"]),
        (#"{"ttlSeconds":0}"#, ["/ttlSeconds"]),
        (#"{"ttlSeconds":"1","tabs":[]}"#, ["/ttlSeconds", "/tabs"]),
    ]

    @Test(arguments: wrong)
    func `a wrong patch is told with every place`(_ body: String, _ pointers: [String]) throws {
        let refusal = try #require(throws: RejectionError.self) { try patched(body) }
        #expect(refusal.pointers == pointers)
    }

    @Test func `a patch cannot bring more labels than there may be`() throws {
        let many = (1...15).map { "\"l\($0)\":\"\"" }.joined(separator: ",")
        let refusal = try #require(throws: RejectionError.self) {
            try patched(#"{"labels":{\#(many)}}"#)
        }
        #expect(refusal.pointers == ["/labels"])
        #expect(try patched(#"{"labels":{"a":null,\#(many)}}"#).labels.count == 16)
    }

    @Test func `the end is counted from the last change`() throws {
        var world = try World()
        world.now += 500_000
        let settings = SessionSettings(ttlSeconds: 10)
        #expect(try world.update(settings))
        #expect(world.session.expiresAt == world.now + 10_000)
        #expect(world.session.revision == 2)
        #expect(world.flaw == nil)
        #expect(try !world.update(settings))
    }
}
