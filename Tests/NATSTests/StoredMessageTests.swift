import NATS
import TestSupport
import Testing

/// Messages read from a stream: from its leader, or from any replica with a direct get.
@Suite struct StoredMessageTests {
    private func stored(_ name: String) throws -> StoredMessage {
        guard case .value(let found) = try Transcript.message(name).answer(as: StoredMessage.self)
        else { throw BodyError.notAnObject }
        return found
    }

    @Test(arguments: [("get last", 2), ("get seq", 1), ("get next", 2)])
    func `the leader returns headers and payload in base64`(name: String, number: Int) throws {
        let found = try stored(name)
        #expect(found.subject.text == "nav.000.s.a" && found.sequence == number)
        #expect(Array(found.payload) == Array((number == 1 ? "one" : "two").utf8))
        #expect(found.headers?.text("N") == (number == 1 ? nil : "2 0 shop"))
        #expect(found.time > ServerTime(nanoseconds: 1_700_000_000_000_000_000))
    }

    @Test func `a message without a payload has no data`() throws {
        let found = try stored("get empty body")
        #expect(found.sequence == 3 && found.payload.isEmpty && found.headers == nil)
    }

    @Test(arguments: [
        (#"{}"#, BodyError.member("message")), (#"{"message":{}}"#, .member("subject")),
        (#"{"message":{"subject":"a..b"}}"#, .subject(.emptyToken)),
        (#"{"message":{"subject":"a"}}"#, .member("seq")),
        (#"{"message":{"subject":"a","seq":1}}"#, .member("time")),
        (#"{"message":{"subject":"a","seq":1,"time":"now"}}"#, .member("time")),
        (
            #"{"message":{"subject":"a","seq":1,"time":"2026-11-22T18:25:05Z","data":"YQ"}}"#,
            .member("data")
        ),
        (
            #"{"message":{"subject":"a","seq":1,"time":"2026-11-22T18:25:05Z","hdrs":"YQ=="}}"#,
            .header(.lineEnd)
        ),
    ])
    func `a malformed stored message is rejected`(text: String, error: BodyError) {
        #expect(throws: error) { try message(body: text).answer(as: StoredMessage.self) }
    }

    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
        ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"), ("+/+/", nil),
    ])
    func `base64 is decoded as specified in RFC 4648`(text: String, expected: String?) throws {
        let body =
            #"{"message":{"subject":"a","seq":1,"time":"2026-11-22T18:25:05Z","data":"\#(text)"}}"#
        guard case .value(let found) = try message(body: body).answer(as: StoredMessage.self)
        else { return }
        guard let expected else {
            #expect(Array(found.payload) == [0xFB, 0xFF, 0xBF])
            return
        }
        #expect(Array(found.payload) == Array(expected.utf8))
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "====", "=", "Zh==", "Zm9=", "Z=g=", "Zg==Zg==", "Zm 9",
        "Zm9v\\n",
        "Zm9-", "Zm9_", "é===",
    ])
    func `malformed base64 is rejected`(text: String) {
        let body =
            #"{"message":{"subject":"a","seq":1,"time":"2026-11-22T18:25:05Z","data":"\#(text)"}}"#
        #expect(throws: BodyError.member("data")) {
            try message(body: body).answer(as: StoredMessage.self)
        }
    }

    @Test func `a time is read to the nanosecond, until 2261`() {
        #expect(ServerTime("1970-01-01T00:00:01.5Z".utf8)?.nanoseconds == 1_500_000_000)
        #expect(
            ServerTime("2261-12-31T23:59:59.999999999Z".utf8)?.nanoseconds
                == 9_214_646_399_999_999_999)
        for text in ["2262-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "Z"] {
            #expect(ServerTime(text.utf8) == nil)
        }
    }

    // MARK: - Direct get

    private func answer(_ name: String) throws -> DirectAnswer {
        try DirectAnswer(try Transcript.message(name))
    }

    @Test func `a direct get returns the message and where it is stored`() throws {
        guard case .message(let found, let previous) = try answer("direct last") else {
            Issue.record("no message")
            return
        }
        #expect(found.sequence == 2 && found.subject.text == "nav.000.s.a" && previous == nil)
        #expect(found.headers?.text("N") == "2 0 shop" && Array(found.payload) == Array("two".utf8))
        guard case .message(let plain, _) = try answer("direct no headers") else { return }
        #expect(plain.sequence == 1 && Array(plain.payload) == Array("one".utf8))
        // A republished message has the same headers.
        guard case .message(let live, _) = try answer("republish") else { return }
        #expect(live.sequence == 1 && live.headers?.text("Nats-Last-Sequence") == "0")
    }

    @Test(arguments: [
        ("direct empty request", 408), ("direct malformed request", 408),
        ("direct bad request", 408), ("direct not found", 404), ("direct batch not found", 404),
        ("no responders", 503),
    ])
    func `a direct get is refused with a status`(name: String, code: Int) throws {
        switch try answer(name) {
        case .notFound: #expect(code == 404)
        case .refused(let status):
            #expect(status.code == code && (!status.text.isEmpty || code == 503))
        case .message, .end: Issue.record("no status")
        }
    }

    private func read(_ name: String, countMax: Int) throws -> BatchReader.Step {
        var reader = BatchReader(countMax: countMax)
        for message in try Transcript.messages(name).dropLast() {
            guard case .needsMore = reader.take(try DirectAnswer(message)) else {
                return .broken
            }
        }
        let last = try #require(try Transcript.messages(name).last)
        return reader.take(try DirectAnswer(last))
    }

    @Test(
        arguments: [
            ("direct batch", [1, 2], 0), ("direct batch part", [1], 1),
            ("direct multi", [2], 0), ("direct multi all", [2, 3], 0),
        ])
    func `a real batch is complete`(name: String, numbers: [Int], left: Int) throws {
        guard case .complete(let messages, let pending) = try read(name, countMax: 3) else {
            Issue.record("not complete")
            return
        }
        #expect(messages.map(\.sequence) == numbers)
        #expect(pending == left)
    }

    @Test func `a batch with a lost, duplicated or reordered message is broken`() throws {
        let whole = try Transcript.messages("direct batch").map { try DirectAnswer($0) }
        func steps(_ order: [Int], countMax: Int = 3) -> BatchReader.Step {
            var reader = BatchReader(countMax: countMax)
            for index in order {
                let step = reader.take(whole[index])
                guard case .needsMore = step else { return step }
            }
            return .needsMore
        }
        for order in [[1], [0, 2], [0, 0], [1, 0], [2], [0, 1, 1]] {
            guard case .broken = steps(order) else {
                Issue.record("\(order) is not noticed")
                continue
            }
        }
        guard case .broken = steps([0, 1], countMax: 1) else {
            Issue.record("more than asked for")
            return
        }
        guard case .complete = steps([0, 1, 2], countMax: 2) else {
            Issue.record("not complete")
            return
        }
    }

    @Test func `a real server keeps the publisher's headers and appends its own`() throws {
        guard case .message(let found, _) = try answer("direct forged") else {
            Issue.record("no message")
            return
        }
        #expect(found.subject.text == "nav.000.s.f" && found.sequence != 77)
        let block = String(decoding: try Transcript.bytes("direct forged"), as: UTF8.self)
        #expect(block.contains("Nats-Sequence: 77\r\n"))
        // A header block that is not valid is delivered too. It is an error of this message, not of
        // the link.
        #expect(throws: BodyError.header(.statusLine)) { try answer("direct not headers") }
    }

    @Test func `a publisher cannot disguise a message as a status or as another message`() throws {
        let tail = """
            Nats-Stream: S\r\nNats-Subject: a.b\r\nNats-Sequence: 7\r\n\
            Nats-Time-Stamp: 2026-11-22T18:25:05Z\r\n\r\n
            """
        for first in ["NATS/1.0 404 Not Found", "NATS/1.0 503", "NATS/1.0 204 EOB"] {
            let forged = try message(headers: "\(first)\r\nNats-Sequence: 9\r\n\(tail)")
            guard case .message(let found, _) = try DirectAnswer(forged) else {
                Issue.record("taken for a status")
                continue
            }
            #expect(found.sequence == 7)
        }
    }

    @Test(arguments: [
        ("NATS/1.0\r\n\r\n", HeaderError.missing("Nats-Sequence")),
        ("NATS/1.0\r\nNats-Sequence: x\r\n\r\n", .malformed("Nats-Sequence")),
        ("NATS/1.0\r\nNats-Sequence: 1\r\n\r\n", .malformed("Nats-Subject")),
        ("NATS/1.0\r\nNats-Sequence: 1\r\nNats-Subject: *\r\n\r\n", .malformed("Nats-Subject")),
        ("NATS/1.0\r\nNats-Sequence: 1\r\nNats-Subject: a\r\n\r\n", .malformed("Nats-Time-Stamp")),
        ("NATS/1.0 204 EOB\r\n\r\n", .missing("Nats-Num-Pending")),
        ("NATS/1.0 204\r\nNats-Num-Pending: 1\r\n\r\n", .missing("Nats-Last-Sequence")),
    ])
    func `a direct get without its headers is rejected`(text: String, error: HeaderError) throws {
        let odd = try message(headers: text)
        #expect(throws: BodyError.header(error)) { try DirectAnswer(odd) }
        #expect(throws: BodyError.header(.missing("Nats-Sequence"))) {
            try DirectAnswer(try message(body: "{}"))
        }
    }

    @Test func `the queries are the recorded ones`() throws {
        let subject = try Subject("nav.000.s.a")
        let filter = SubjectFilter(subject)
        let expected: [(MessageQuery, String)] = [
            (.sequence(1), #"{"seq":1}"#), (.last(subject), #"{"last_by_subj":"nav.000.s.a"}"#),
            (.next(filter, from: 2), #"{"seq":2,"next_by_subj":"nav.000.s.a"}"#),
            (
                .batch(filter, from: 1, count: 3, bytes: 64),
                #"{"seq":1,"batch":3,"max_bytes":64,"next_by_subj":"nav.000.s.a"}"#
            ),
        ]
        for (query, text) in expected {
            #expect(String(decoding: query.body, as: UTF8.self) == text)
        }
    }
}
