import NATS
import Testing

/// The state machine of a link. Times are in milliseconds.
@Suite struct LinkStateTests {
    private static let addresses = ["a:1", "b:2", "c:3"].compactMap { ServerAddress($0) }

    private func link(
        credentials: ConnectOptions.Credentials = .none,
        limits: ProtocolLimits = ProtocolLimits(), for purpose: LinkPurpose = .requests
    ) -> LinkState {
        LinkState(
            ServerList(Self.addresses, random: 0),
            ConnectOptions(credentials: credentials, name: "n", version: "1"), limits: limits,
            for: purpose, at: 0)
    }

    private func frame(_ text: String) throws -> Frame {
        var parser = FrameParser()
        let bytes = Array((text + "\r\n").utf8)
        guard case .frame(let frame, _) = parser.parse(bytes, from: 0, to: bytes.count) else {
            throw BodyError.notAnObject
        }
        return frame
    }

    private func info(_ more: String = #","headers":true"#) throws -> Frame {
        try frame(#"INFO {"server_id":"S","version":"2.15.1","max_payload":1000\#(more)}"#)
    }

    /// An action as text.
    private func text(_ action: LinkAction) -> String {
        switch action {
        case .none: "none"
        case .connect(let address): "connect \(address)"
        case .send(let commands):
            commands.map { command in
                var out: [UInt8] = []
                command.encode(into: &out)
                return String(decoding: out.prefix(7), as: UTF8.self).split(separator: " ")[0]
                    .split(separator: "\r\n")[0]
            }.joined(separator: " ")
        case .ready: "ready"
        case .message: "message"
        case .warn(let text): "warn \(text)"
        case .close(let failure): "close \(failure)"
        }
    }

    private func take(
        _ link: inout LinkState, _ frame: Frame, at now: Int64 = 0, random: UInt64 = 0
    ) -> String {
        text(link.received(frame, at: now, random: random))
    }

    /// A link that is ready at time 0.
    private func ready(
        _ limits: ProtocolLimits = ProtocolLimits(), for purpose: LinkPurpose = .requests
    ) throws -> LinkState {
        var link = link(limits: limits, for: purpose)
        #expect(text(link.expired(at: 0, random: 0)) == "connect a:1")
        link.connected(at: 0)
        #expect(take(&link, try info()) == "CONNECT PING")
        #expect(take(&link, .pong) == "ready")
        return link
    }

    @Test func `a link gets INFO, sends CONNECT and PING, and is ready after PONG`() throws {
        var link = link()
        #expect(link.phase == .waiting && link.deadline == 0 && link.server == nil)
        #expect(text(link.expired(at: 0, random: 0)) == "connect a:1")
        #expect(link.phase == .connecting && link.deadline == 2_000)
        link.connected(at: 100)
        #expect(link.phase == .greeting && link.deadline == 2_100)
        #expect(take(&link, try info(), at: 200) == "CONNECT PING")
        #expect(link.phase == .proving && link.deadline == 2_200)
        // A real server sends `INFO` again, before or after the `PONG`.
        #expect(take(&link, try info(#","headers":true,"connect_info":true"#)) == "none")
        #expect(take(&link, .ok, at: 250) == "none")
        #expect(take(&link, .pong, at: 300) == "ready")
        #expect(
            link.phase == .ready && link.deadline == 1_800 && link.info?.payloadBytesMax == 1_000)
        #expect(take(&link, .pong, at: 400) == "none")
        #expect(take(&link, try info(), at: 500) == "none")
    }

    @Test func `what a real server sends at the start makes a link ready`() throws {
        var link = link(credentials: .user("a", password: "b"))
        _ = link.expired(at: 0, random: 0)
        link.connected(at: 0)
        let greeting = try #require(try Transcript.frames("info auth").first)
        #expect(take(&link, greeting) == "CONNECT PING")
        let answers = try Transcript.frames("verbose").map { take(&link, $0) }
        #expect(answers == ["none", "ready", "none"])
    }

    @Test func `a PING is answered, and a silent server is pinged and finally left`() throws {
        var link = try ready()
        #expect(take(&link, .ping, at: 100) == "PONG" && link.deadline == 1_500)
        #expect(text(link.expired(at: 1_499, random: 0)) == "none")
        #expect(text(link.expired(at: 1_500, random: 0)) == "PING")
        #expect(take(&link, .pong, at: 1_700) == "none" && link.deadline == 3_000)
        #expect(text(link.expired(at: 3_000, random: 0)) == "PING")
        #expect(text(link.expired(at: 4_500, random: 0)) == "PING")
        #expect(text(link.expired(at: 6_000, random: 0)) == "close pongMissing")
        #expect(link.phase == .waiting && link.deadline == 6_050)
    }

    @Test func `a server that talks but does not listen is left, unless it feeds`() throws {
        for isFeed in [false, true] {
            var link = try ready(for: isFeed ? .feeds : .requests)
            var actions: [String] = []
            for now in stride(from: 100 as Int64, through: 60_000, by: 100)
            where link.phase == .ready {
                let action = text(link.expired(at: now, random: 0))
                if action != "none" { actions.append(action) }
                _ = take(&link, .ok, at: now)
            }
            let pings = Array(repeating: "PING", count: isFeed ? 40 : 6)
            #expect(actions == pings + (isFeed ? [] : ["close pongMissing"]))
        }
    }

    @Test func `messages are accepted only when the link is ready`() throws {
        let frame = Frame.message(try message("MSG a 1 0\r\n\r\n"))
        var link = try ready()
        #expect(take(&link, frame, at: 700) == "message" && link.deadline == 1_500)
        link = self.link()
        #expect(take(&link, frame) == "none")
        _ = link.expired(at: 0, random: 0)
        #expect(take(&link, frame) == "none")
        link.connected(at: 0)
        #expect(take(&link, frame) == "close unexpectedOperation")
        _ = link.expired(at: 5_000, random: 0)
        link.connected(at: 5_000)
        _ = link.received(try info(), at: 5_000, random: 0)
        #expect(take(&link, frame) == "close unexpectedOperation")
    }

    @Test(arguments: [
        (#""#, "headersMissing"), (#","headers":true,"tls_required":true"#, "tlsRequired"),
        (#","headers":true,"auth_required":true"#, "credentialsMissing"),
        (#","headers":true,"ldm":true"#, "lameDuck"),
    ])
    func `a server with unacceptable INFO is left`(members: String, failure: String) throws {
        var link = link()
        _ = link.expired(at: 0, random: 0)
        link.connected(at: 0)
        #expect(take(&link, try info(members)) == "close \(failure)")
        #expect(link.phase == .waiting)
    }

    @Test(arguments: [LinkState.Phase.connecting, .greeting, .proving])
    func `each step of the handshake has its own timeout`(phase: LinkState.Phase) throws {
        var link = link()
        _ = link.expired(at: 0, random: 0)
        if phase != .connecting { link.connected(at: 1_000) }
        if phase == .proving { _ = link.received(try info(), at: 2_000, random: 0) }
        let end: Int64 = phase == .connecting ? 2_000 : phase == .greeting ? 3_000 : 4_000
        #expect(link.phase == phase && link.deadline == end)
        #expect(text(link.expired(at: end - 1, random: 0)) == "none")
        #expect(text(link.expired(at: end, random: 0)) == "close handshakeTimeout")
    }

    @Test(arguments: [
        "unknown operation", "maximum payload", "stale connection", "authorization violation",
        "permissions violation",
    ])
    func `errors of a real server`(name: String) throws {
        var link = try ready()
        var found: [String] = []
        for frame in try Transcript.frames(name) { found.append(take(&link, frame, at: 10)) }
        switch name {
        case "permissions violation":
            #expect(found.count == 2 && found.allSatisfy { $0.hasPrefix("warn Permissions") })
            #expect(link.phase == .ready)
        case "authorization violation":
            #expect(found.last == #"close unauthorized("Authorization Violation")"#)
            #expect(link.deadline == 10 + 2_000 + 50)
        default:
            #expect(found.last?.hasPrefix("close refused") == true && link.deadline == 60)
        }
    }

    @Test(arguments: [
        ("User Authentication Expired", true), ("account authentication revoked", true),
        ("Authentication Timeout", true), ("maximum connections exceeded", false),
        ("Server Shutdown", false), ("", false),
    ])
    func `errors that close a link`(words: String, isUnauthorized: Bool) throws {
        var link = try ready()
        let expected = isUnauthorized ? "unauthorized" : "refused"
        #expect(take(&link, .error(words)) == "close \(expected)(\"\(words)\")")
        link = self.link()
        _ = link.expired(at: 0, random: 0)
        link.connected(at: 0)
        #expect(take(&link, .error(words)).hasPrefix("close"))
    }

    @Test(arguments: ["Invalid Subject", "Invalid Publish Subject", "permissions violation for x"])
    func `errors that leave a link open`(words: String) throws {
        var link = try ready()
        #expect(take(&link, .error(words)) == "warn \(words)" && link.phase == .ready)
    }

    @Test func `a server in lame duck mode is left for another one at once`() throws {
        var link = try ready()
        let lame = try #require(try Transcript.frames("info lame duck").first)
        #expect(take(&link, lame, at: 700) == "close lameDuck" && link.deadline == 700)
        #expect(text(link.expired(at: 700, random: 0)) == "connect b:2")
    }

    @Test func `every configured server is tried, and no other`() throws {
        var link = link()
        var tried: [String] = []
        var now: Int64 = 0
        for turn in 0..<5 {
            tried.append(text(link.expired(at: now, random: 0)))
            if turn == 1 {
                link.connected(at: now)
                let more = #","headers":true,"connect_urls":["b:2","d:4","?"]"#
                _ = link.received(try info(more), at: now, random: 0)
            }
            #expect(text(link.failed(at: now, random: 0)) == "close disconnected")
            #expect(text(link.failed(at: now, random: 0)) == "none")
            now = link.deadline
        }
        #expect(tried == ["a:1", "b:2", "c:3", "a:1", "b:2"].map { "connect \($0)" })
        var list = ServerList(Self.addresses, random: 5)
        #expect((0..<4).map { _ in list.next().host } == ["c", "a", "b", "c"])
    }

    @Test func `the next server is tried after 50 to 500 ms`() throws {
        for random: UInt64 in [0, 1, 450, 451, .max, 12_345] {
            var link = try ready()
            _ = link.failed(at: 1_000, random: random)
            #expect((1_050...1_500).contains(link.deadline))
        }
        var link = try ready()
        #expect(
            text(link.malformed(.unknownVerb, at: 9, random: 0))
                == "close malformed(NATS.FrameError.unknownVerb)")
        link = try ready()
        #expect(text(link.leave(at: 9, random: 0)) == "close left" && link.info == nil)
    }

    @Test func `the publish limit is the smaller of the two`() throws {
        let link = try ready()
        #expect(link.publishLimits.payloadBytesMax == 1_000)
        let strict = try ready(ProtocolLimits(payloadBytesMax: 10))
        #expect(strict.publishLimits.payloadBytesMax == 10)
        #expect(self.link().publishLimits.payloadBytesMax == 2 << 20)
    }
}
