import NATS
import Testing

/// The messages of push consumers: deliveries, idle heartbeats, flow control and statuses.
@Suite struct DeliveryTests {
    private func items(_ name: String) throws -> [FeedItem] {
        try Transcript.messages(name).map { try FeedItem($0) }
    }

    @Test(arguments: ["feed", "feed headers only"])
    func `a recorded feed is numbered and ends in an idle heartbeat`(name: String) throws {
        let found = try items(name)
        let deliveries = found.compactMap { item -> Delivery? in
            if case .delivery(let delivery) = item { delivery } else { nil }
        }
        #expect(deliveries.map(\.streamSequence) == [1, 2, 3])
        #expect(deliveries.map(\.consumerSequence) == [1, 2, 3])
        #expect(deliveries.map(\.pending) == [2, 1, 0])
        #expect(found.last == .heartbeat(lastConsumer: 3, lastStream: 3, stalled: nil))
        // The subject is the one under which the message was published.
        let first = try Transcript.message(name)
        #expect(try first.subject().text == "nav.000.s.a")
        guard name != "feed" else { return }
        let sizes = try Transcript.messages(name).dropLast().map {
            try $0.headers()?.number("Nats-Msg-Size")
        }
        #expect(sizes == [3, 3, 0] && first.content.isEmpty)
    }

    @Test func `the second form of the reply subject has the same metadata`() throws {
        guard case .delivery(let found) = try items("feed v2").first else {
            Issue.record("no delivery")
            return
        }
        #expect(found.pending == 0)
        #expect(found.streamSequence == 1 && found.consumerSequence == 1)
    }

    @Test func `a consumer that starts past the end sends an idle heartbeat`() throws {
        #expect(
            try items("feed beyond the end")
                == [.heartbeat(lastConsumer: 0, lastStream: 99, stalled: nil)])
    }

    @Test func `flow control names its subject, and a stalled heartbeat repeats it`() throws {
        guard case .flowControl(let subject) = try items("flow control").first,
            case .heartbeat(let consumer, let stream, let stalled) = try items("heartbeat stalled")
                .first
        else {
            Issue.record("no flow control")
            return
        }
        #expect(subject.text.hasPrefix("$JS.FC.NAV_000.c4.") && stalled == subject)
        #expect(consumer > 0 && stream == consumer + 3)
    }

    @Test(arguments: [
        "$JS.ACK.S.c.1.2.3.4.5", "$JS.ACK.hub.hash.S.c.1.2.3.4.5", "$JS.ACK._.h.S.c.1.2.3.4.5.x",
        "$JS.ACK._.h.S.c.1.2.3.4.5.x.y.z.w",
    ])
    func `every form of a delivery's reply subject is parsed`(text: String) {
        let found = Delivery(Array(text.utf8)[...])
        #expect(found?.streamSequence == 2 && found?.consumerSequence == 3)
        #expect(found?.time == ServerTime(nanoseconds: 4) && found?.pending == 5)
    }

    @Test(arguments: [
        "", "$JS.ACK", "$JS.ACK.S.c.1.2.3.4", "$JS.ACK.d.S.c.1.2.3.4.5", "$JS.NAK.S.c.1.2.3.4.5",
        "JS.ACK.S.c.1.2.3.4.5", "$JS.ACK.S.c.1.2.3.4.", "$JS.ACK.S.c.1.x.3.4.5",
        "$JS.ACK.S.c.1.0.3.4.5", "$JS.ACK.S.c.1.2.0.4.5", "$JS.ACK..c.1.2.3.4.5",
        "$JS.ACK.S..1.2.3.4.5", "$JS.ACK.S.c.1.-2.3.4.5",
        "$JS.ACK.S.c.1.99999999999999999999.3.4.5",
        "_INBOX.n.17.4711",
    ])
    func `any other reply subject is not a delivery`(text: String) {
        #expect(Delivery(Array(text.utf8)[...]) == nil)
    }

    @Test func `any status other than 100 is reported as it is`() throws {
        for (text, code) in [
            ("409 Consumer Deleted", 409), ("409 Leadership Change", 409),
            ("503", 503),
        ] {
            guard
                case .status(let status) = try FeedItem(
                    try message(headers: "NATS/1.0 \(text)\r\n\r\n"))
            else {
                Issue.record("\(text) is no status")
                continue
            }
            #expect(status.code == code)
        }
    }

    @Test func `a publisher cannot disguise a message as an idle heartbeat`() throws {
        let forged = "NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 9\r\n\r\n"
        let found = try message(headers: forged, reply: "$JS.ACK.S.c.1.2.3.4.5")
        guard case .delivery = try FeedItem(found) else {
            Issue.record("taken for a heartbeat")
            return
        }
    }

    @Test func `flow control with any other subject is rejected`() throws {
        for subject in ["nav.000.s.a", "$JS.API.STREAM.DELETE.NAV_000", "$JS.FC.", "$JS.FC.a..b"] {
            let flow = try message(
                headers: "NATS/1.0 100 FlowControl Request\r\n\r\n", reply: subject)
            #expect(throws: BodyError.header(.missing("Nats-Last-Consumer"))) {
                try FeedItem(flow)
            }
            let stalled = try message(
                headers: """
                    NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 1\r\nNats-Last-Stream: 1\r\n\
                    Nats-Consumer-Stalled: \(subject)\r\n\r\n
                    """)
            #expect(throws: BodyError.header(.malformed("Nats-Consumer-Stalled"))) {
                try FeedItem(stalled)
            }
        }
    }

    @Test(arguments: [
        ("NATS/1.0\r\n\r\n", HeaderError.statusLine),
        ("NATS/1.0 100\r\nNats-Last-Consumer: x\r\n\r\n", .malformed("Nats-Last-Consumer")),
        ("NATS/1.0 100\r\nNats-Last-Consumer: 1\r\n\r\n", .missing("Nats-Last-Stream")),
        ("NATS/1.0 100\r\n\r\n", .missing("Nats-Last-Consumer")), ("NATS/1.0\r\nx\r\n\r\n", .name),
    ])
    func `a message that no consumer sends is rejected`(text: String, error: HeaderError) throws {
        let odd = try message(headers: text)
        #expect(throws: BodyError.header(error)) { try FeedItem(odd) }
        #expect(throws: BodyError.header(.statusLine)) { try FeedItem(try message(body: "{}")) }
    }
}
