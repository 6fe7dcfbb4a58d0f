import JSON
import Navigation
import TestSupport
import Testing

/// `link`, the way back from what is visible to a URL.
@Suite struct LinkInverseTests {
    private static let document = #"""
        {"routes":{
          "post":{"params":{"required":["id"],"properties":{
            "id":{"type":"integer"},"sort":{"type":"string","default":"up"}}}},
          "user":{"params":{"properties":{"name":{"type":"string"},"tab":{"type":"string"}}}},
          "file":{"params":{"properties":{"path":{"type":"string"}}}},
          "plain":{},"compose":{"presentation":"any"}},
         "tabs":[{"id":"home","routes":["post","user","file","plain"]},
          {"id":"me","routes":["plain"]}],
         "links":[
          {"pattern":"my://home","path":[]},
          {"pattern":"my://me","tab":"me","path":[]},
          {"pattern":"my://post/{id}?sort={sort}",
           "path":[{"route":"post","params":{"id":"{id}","sort":"{sort}"}}]},
          {"pattern":"my://post/{id}/by/{name}","path":[
           {"route":"post","params":{"id":"{id}"}},{"route":"user","params":{"name":"{name}"}}]},
          {"pattern":"my://@/@{name}?tab={tab}",
           "path":[{"route":"user","params":{"name":"{name}","tab":"{tab}"}}]},
          {"pattern":"my://file/{path*}","path":[{"route":"file","params":{"path":"{path}"}}]},
          {"pattern":"my://compose","path":[],"present":{"route":"compose"}},
          {"pattern":"my://compose/{id}","path":[{"route":"post","params":{"id":"{id}"}}],
           "present":{"route":"compose","style":"fullScreenCover"}}]}
        """#

    private func world() throws -> World { try World(app: app(Self.document)) }

    private func link(_ world: World) throws -> String? {
        try #require(world.app).link(to: world.session.state, work: WorkBudget())
    }

    @Test(arguments: [
        "my://home", "my://me", "my://post/7?sort=up", "my://post/9007199254740993?sort=a%20%2B%26",
        "my://post/7/by/a%2Fb%3F%23%C3%A9", "my://@/@ada", "my://@/@%40%25?tab=x%3Dy",
        "my://file/a/b%20c/d", "my://file/a//b", "my://file/a//", "my://compose", "my://compose/7",
    ])
    func `what a link opened has that very link`(_ url: String) throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"plain"}"#)
        try world.run(.open, #"{"url":"\#(url)"}"#)
        #expect(try link(world) == url)
    }

    @Test(.seeded)
    func `opening the link of what is visible shows it again, whatever it holds`() throws {
        let pieces = [
            "a", "/", "%", " ", "é", "e\u{301}", "+", "?", "#", "{x}", "@", "&", "=", ".",
        ]
        var numbers = SplitMix64(stream: 5)
        for round in SplitMix64.worlds(300) {
            let count = Int.random(in: 1...4, using: &numbers)
            let text = (0..<count).map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
            let params = JSON.object(
                JSONObject([("name", .string(text)), ("path", .string(text))]))
            for route in ["user", "file"] {
                var only = JSONObject()
                let name = route == "user" ? "name" : "path"
                if case .object(let object) = params { only[name] = object[name] }
                var world = try world()
                try world.run(
                    .navigate, #"{"route":"\#(route)","params":\#(JSON.object(only).text)}"#)
                guard let url = try link(world) else {
                    #expect(route == "file" && text.hasSuffix("/"), "\(round): \(text) has no link")
                    continue
                }
                var other = try self.world()
                try other.run(.open, #"{"url":\#(JSON.string(url).text)}"#)
                #expect(other.picture == world.picture, "round \(round): \(url)")
            }
        }
    }

    @Test func `a path that no link leads to has the link of its top alone`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"plain"}"#)
        #expect(try link(world) == nil)
        try world.run(.navigate, #"{"route":"post","params":{"id":7}}"#)
        #expect(try link(world) == "my://post/7?sort=up")
        try world.run(.navigate, #"{"route":"plain"}"#)
        #expect(try link(world) == nil)
    }

    @Test func `what is visible on a sheet has a link only if one presents it`() throws {
        var world = try world()
        try world.run(.present, #"{"route":"compose"}"#)
        #expect(try link(world) == "my://compose")
        try world.run(.present, #"{"route":"compose"}"#)
        #expect(try link(world) == nil, "no link presents two")
        try world.run(.dismiss)
        try world.run(.dismiss)
        try world.run(.present, #"{"route":"compose","style":"fullScreenCover"}"#)
        #expect(try link(world) == nil, "its style is another")
    }

    @Test func `params that no capture explains have no link`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"user","params":{"name":"","tab":"x"}}"#)
        #expect(try link(world) == nil, "a segment is not empty")
        try world.run(.setParams, #"{"params":{"name":null}}"#)
        #expect(try link(world) == nil)
        try world.run(.setParams, #"{"params":{"name":"ada","other":1}}"#)
        #expect(try link(world) == nil, "no link says other")
    }

    @Test func `where a more specific link is in the way, the URL would lead elsewhere`() throws {
        var world = try World(
            app: app(
                #"""
                {"routes":{"tag":{"params":{"properties":{"t":{"type":"string"}}}},"new":{}},
                 "tabs":[{"id":"a","routes":["tag","new"]}],
                 "links":[{"pattern":"/{t}","path":[{"route":"tag","params":{"t":"{t}"}}]},
                  {"pattern":"/new","path":["new"]}]}
                """#))
        try world.run(.navigate, #"{"route":"tag","params":{"t":"old"}}"#)
        #expect(try link(world) == "/old")
        try world.run(.setParams, #"{"params":{"t":"new"}}"#)
        #expect(try link(world) == nil)
    }

    @Test func `a URL that leads to the same screens in another tab is no link to these`() throws {
        var world = try World(
            app: app(
                #"""
                {"routes":{"tag":{"params":{"properties":{"t":{"type":"string"}}}}},
                 "tabs":[{"id":"a","routes":["tag"]},{"id":"b","routes":["tag"]}],
                 "links":[{"pattern":"/new","path":[{"route":"tag","params":{"t":"new"}}]},
                  {"pattern":"/{t}","tab":"b","path":[{"route":"tag","params":{"t":"{t}"}}]}]}
                """#))
        try world.run(.navigate, #"{"route":"tag","params":{"t":"old"},"in":"b"}"#)
        #expect(try link(world) == "/old")
        try world.run(.setParams, #"{"params":{"t":"new"}}"#)
        #expect(try link(world) == nil)
    }

    @Test func `a session without an app, or an app without links, has none`() throws {
        let bare = try app(#"{"tabs":[{"id":"a"}]}"#)
        #expect(try bare.link(to: bare.freshState, work: WorkBudget()) == nil)
    }
}
