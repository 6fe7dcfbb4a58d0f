import Bytes
import JSON
import Navigation
import Testing

/// The heights at which a sheet can rest.
@Suite struct DetentTests {
    static let valid = [
        "medium", "large", "fraction:0.1", "fraction:0.25", "fraction:0.10", "fraction:1",
        "fraction:1.0", "fraction:1.00", "height:1", "height:320", "height:5000",
    ]
    static let invalid = [
        "", "small", "Medium", "medium ", "fraction", "fraction:", "fraction:0", "fraction:0.09",
        "fraction:0.0", "fraction:1.01", "fraction:2", "fraction:0.255", "fraction:.5",
        "fraction:1.", "fraction:-0.5", "fraction:00.5", "fraction:0.5x", "fraction:0,5",
        "fraction:1e0", "height:0", "height:5001", "height:1.5", "height:01", "height:-1",
        "height:99999", "height:", "height: 1", ":", "fraction:height:1", "médium",
    ]

    private func present(_ detents: String) throws -> Command {
        try Command(
            .present, body: CompactObject(Array(#"{"route":"s","detents":\#(detents)}"#.utf8)),
            limits: Limits(), work: WorkBudget())
    }

    private func pointers(_ detents: String) throws -> [String] {
        let error = #expect(throws: RejectionError.self) { try present(detents) }
        guard case .invalidRequest(let faults)? = error else { return [] }
        return faults.map(\.pointer)
    }

    @Test func `detents have one of four forms`() throws {
        let list = "[" + Self.valid.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        guard case .present(let present) = try present(list) else { return }
        #expect(present.detents?.map(\.text) == Self.valid)
        for text in Self.invalid {
            #expect(try pointers(#"["medium","\#(text)"]"#) == ["/detents/1"], "\(text)")
        }
        #expect(try pointers(#"[1,null]"#) == ["/detents/0", "/detents/1"])
        let many = "[" + Array(repeating: #""large""#, count: 17).joined(separator: ",") + "]"
        #expect(try pointers(many) == ["/detents"])
    }

    @Test func `a restore leaves out texts that are no detents`() throws {
        let wanted = try restore(
            #"{"tabs":[{"id":"a"}],"sheets":[{"route":"s","detents":["small","large","x"]}]}"#)
        let state = try wanted.state(nextEntry: 1, app: nil).state
        #expect(state.sheets[0].detents.map(\.text) == ["large"])
        #expect(throws: RejectionError.self) {
            try restore(#"{"tabs":[{"id":"a"}],"sheets":[{"route":"s","detents":[1]}]}"#)
        }
    }

    private static let document = #"""
        {"routes":{"s":{"presentation":"sheet"},"x":{"guard":"g"}},
         "facts":{"f":{"default":false}},
         "guards":{"g":{"when":{"f":true},
                        "instead":{"command":"present","route":"s","detents":["small","large"]}}},
         "templates":{"t":{"commands":[{"command":"present","route":"s","detents":["small"]}]}},
         "tabs":[{"id":"t","routes":["x"]}],
         "links":[{"pattern":"/s","tab":"t","present":{"route":"s","detents":["small","medium"]}}]}
        """#

    @Test func `an app that is stored may have any texts, which are left out`() throws {
        let report = try report(Self.document)
        #expect(
            report.errors.map(\.pointer) == [
                "/guards/g/instead/detents/0", "/links/0/present/detents/0",
            ])
        let stored = try AppReader.read(
            .object(try object(Self.document)), id: AppID(trusted: "test"), limits: .ofStoredApps,
            work: .unlimited, checks: .needed)
        let app = try #require(stored.app)
        var world = try World(app: app)
        try world.run(.navigate, #"{"route":"x"}"#)
        #expect(world.session.state.sheets[0].detents.map(\.text) == ["large"])
        try world.run(.dismiss, #"{"force":true}"#)
        try world.run(.open, #"{"url":"/s"}"#)
        #expect(world.session.state.sheets[0].detents.map(\.text) == ["medium"])
        var session = world.session
        let template = try #require(app.template(TemplateName(trusted: "t")))
        try session.begin(with: template, rules: world.rules())
        #expect(session.state.sheets.last?.detents.isEmpty == true)
    }
}
