import NATS
import Testing

/// Responses of the JetStream API: recorded from a real server, and malformed.
@Suite struct JetStreamTests {
    private func error(_ name: String) throws -> JetStreamError? {
        guard case .refused(let error) = try Transcript.message(name).publishAck()
        else { return nil }
        return error
    }

    private func ack(_ text: String) throws -> Answer<PublishAck> {
        try message(body: text).publishAck()
    }

    @Test func `a publish ack has the stream sequence`() throws {
        for (name, number) in [("pub ack", 1), ("pub ack headers", 2)] {
            guard case .value(let ack) = try Transcript.message(name).publishAck()
            else {
                Issue.record("no acknowledgement")
                continue
            }
            #expect(ack.stream == "NAV_000" && ack.sequence == number)
        }
        let full = #"{"stream":"S","seq":7,"domain":"hub","duplicate":true,"more":[{}]}"#
        guard case .value(let ack) = try ack(full) else {
            Issue.record("no acknowledgement")
            return
        }
        #expect(ack.stream == "S" && ack.sequence == 7)
    }

    @Test(arguments: [
        ("wrong last sequence", 10_071, JetStreamError.Kind.wrongLastSequence(2)),
        ("wrong last sequence zero", 10_071, .wrongLastSequence(0)),
        ("in flight", 10_164, .writeInFlight), ("ttl disabled", 10_166, .other),
        ("stream full", 10_077, .storeFailed), ("account full", 10_002, .noSpace),
        ("reservation too large", 10_047, .noSpace),
        ("stream exists", 10_058, .streamExists), ("stream not found", 10_059, .streamNotFound),
        ("invalid json", 10_025, .other), ("get not found", 10_037, .messageNotFound),
        ("consumer exists", 10_012, .other), ("consumer wildcard", 10_079, .other),
        ("consumer not found", 10_014, .other),
    ])
    func `a recorded error has a code`(name: String, number: Int, kind: JetStreamError.Kind) throws
    {
        let found = try #require(try error(name))
        #expect(found.number == number && found.kind == kind)
        #expect((400...503).contains(found.code) && !found.description.isEmpty)
    }

    @Test(arguments: [
        (10_023, JetStreamError.Kind.noSpace), (10_008, .temporarilyUnavailable),
        (10_005, .tooFewPeers),
        (10_074, .notClustered),
        (10_009, .temporarilyUnavailable), (10_013, .other),
        (10_148, .other), (10_039, .notEnabled), (10_076, .notEnabled),
        (10_004, .temporarilyUnavailable), (10_007, .temporarilyUnavailable),
        (10_041, .temporarilyUnavailable), (10_118, .temporarilyUnavailable),
        (10_167, .temporarilyUnavailable), (10_010, .other), (10_036, .other),
        // Any other error with the code of what passes.
        (0, .temporarilyUnavailable), (10_165, .temporarilyUnavailable),
    ])
    func `the kinds of other errors`(number: Int, kind: JetStreamError.Kind) {
        #expect(JetStreamError(code: 503, number: number, description: "x: 1").kind == kind)
    }

    @Test func `an error without a known number and code is another one`() {
        for number in [0, 10_165] {
            #expect(JetStreamError(code: 400, number: number, description: "x").kind == .other)
        }
    }

    @Test(arguments: [
        ("wrong last sequence: 184377", 184_377), ("wrong last sequence: 0", 0),
        ("wrong last sequence", nil), ("wrong last sequence: ", nil),
        ("wrong last sequence: -1", nil), ("wrong last sequence: 1x", nil),
        ("wrong last sequence: 99999999999999999999", nil), ("", nil), (":", nil),
    ])
    func `the actual sequence is taken from the description`(text: String, number: Int?) {
        let error = JetStreamError(code: 400, number: 10_071, description: text)
        #expect(error.kind == .wrongLastSequence(number))
    }

    @Test func `a no-responders status and an error body are recognized`() throws {
        let message = try Transcript.message("no responders")
        #expect(try message.publishAck() == .noResponders)
        #expect(
            try ack(#"{"error":{"code":400},"stream":"S","seq":0}"#)
                == .refused(JetStreamError(code: 400, number: 0, description: "")))
    }

    @Test func `an ack means the same, however it is written`() throws {
        let usual = Array(#"{"stream":"NAV_000","seq":8796093022207}"#.utf8)
        let bytes: [UInt8] = [0, 9, 0x20, 0x22, 0x30, 0x31, 0x39, 0x5C, 0x7D, 0x80, 0xC3]
        for index in usual.indices {
            var texts = [Array(usual[..<index]), Array(usual[index...])]
            for byte in bytes {
                texts.append(usual[..<index] + [byte] + usual[index...])
                texts.append(usual[..<index] + [byte] + usual[(index + 1)...])
            }
            for text in texts {
                let line = "MSG a.b 1 \(text.count)\r\n"
                let message = try message(Array(line.utf8) + text + [13, 10])
                let answer = try? message.answer(as: PublishAck.self)
                #expect((try? message.publishAck()) == answer, "\(text)")
            }
        }
        #expect(try ack(String(decoding: usual, as: UTF8.self)) != .noResponders)
    }

    @Test(arguments: [
        ("{}", BodyError.member("stream")), ("[]", .notAnObject), ("1", .notAnObject),
        (#"{"stream":"S"}"#, .member("seq")), (#"{"stream":"S","seq":0}"#, .member("seq")),
        (#"{"stream":"S","seq":-1}"#, .member("seq")),
        (#"{"stream":"S","seq":8796093022208}"#, .member("seq")),
        (#"{"stream":"S","seq":9223372036854775807}"#, .member("seq")),
        (#"{"stream":1,"seq":1}"#, .member("stream")),
        (#"{"stream":"S","seq":"1"}"#, .member("seq")),
        (#"{"error":1,"stream":"S","seq":1}"#, .member("error")),
        (#"{"error":{},"stream":"S","seq":1}"#, .member("code")),
        (#"{"error":{"code":1,"err_code":"1"}}"#, .member("err_code")),
    ])
    func `a body with a missing or invalid member is rejected`(text: String, error: BodyError) {
        #expect(throws: error) { try ack(text) }
    }

    @Test(arguments: [
        "", "{", #"{"seq":18446744073709551615,"stream":"S"}"#, #"{"seq":1,"seq":2}"#,
        String(repeating: "[", count: 100), "{\"a\":\"\u{0}\"}",
    ])
    func `a body that is not JSON is rejected`(text: String) throws {
        let odd = try message(body: text)
        do throws(BodyError) {
            _ = try odd.publishAck()
            Issue.record("an answer")
        } catch {
            guard case .json = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func `any status other than 503 without a payload is rejected`() throws {
        let timeout = try message(headers: "NATS/1.0 408 Request Timeout\r\n\r\n")
        #expect(throws: BodyError.status(408)) { try timeout.publishAck() }
        let odd = try message(headers: "NATS/1.0 503\r\n\r\n", payload: "x")
        #expect(throws: BodyError.status(503)) { try odd.publishAck() }
        let broken = try message(headers: "NATS/1.0\r\nx\r\n\r\n")
        #expect(throws: BodyError.header(.name)) { try broken.publishAck() }
    }

    // MARK: - Streams and consumers

    private func config(_ change: String = "") throws -> StreamConfig {
        StreamConfig(
            name: try SubjectToken("NAV_000"), subjects: [try SubjectFilter("nav.000.>")],
            replicas: 1, messagesPerSubjectMax: 128, messageBytesMax: 65_536)
    }

    @Test(arguments: ["stream create", "stream update", "stream info", "stream create replicated"])
    func `recorded stream info is parsed`(name: String) throws {
        guard case .value(let info) = try Transcript.message(name).answer(as: StreamInfo.self)
        else {
            Issue.record("refused")
            return
        }
        let isReplicated = name.hasSuffix("replicated")
        let isFull = name == "stream info"
        #expect(info.state.messages == (isFull ? 3 : 0))
        #expect(info.state.lastSequence == (isFull ? 3 : 0))
        #expect(info.state.subjects == (isFull ? 2 : 0))
        #expect((info.leader != nil) == (isReplicated || isFull))
        // All recordings are of one day.
        let day = 86_400_000_000_000
        #expect(info.created.nanoseconds / day == 1_795_375_414_000_000_000 / day)
        #expect(info.followers.contains { $0.isCurrent } == isReplicated)
        // The recorded streams are compressed.
        let replicas = isReplicated ? ["num_replicas"] : []
        // The recorded server republishes; everything else that is not asked for has no effect.
        #expect(try config().differences(in: info) == replicas + ["compression", "republish"])
    }

    @Test func `settings that differ from an existing stream are listed by name`() throws {
        guard
            case .value(let info) = try Transcript.message("stream info").answer(
                as: StreamInfo.self)
        else { return }
        let other = StreamConfig(
            name: try SubjectToken("NAV_000"), subjects: [try SubjectFilter("nav.001.>")],
            replicas: 3, messagesPerSubjectMax: 64, messageBytesMax: 65_536, firstSequence: 9)
        #expect(
            other.differences(in: info) == [
                "subjects", "num_replicas", "max_msgs_per_subject", "compression", "republish",
            ])
        #expect(String(decoding: other.body, as: UTF8.self).contains(#""first_seq":9"#))
    }

    @Test func `the request for a stream names every setting that matters`() throws {
        #expect(
            String(decoding: try config().body, as: UTF8.self) == """
                {"name":"NAV_000","subjects":["nav.000.>"],"retention":"limits","storage":"file",\
                "discard":"old","num_replicas":1,"max_msgs":-1,"max_bytes":-1,"max_age":0,\
                "max_msgs_per_subject":128,"max_msg_size":65536,"max_consumers":-1,\
                "duplicate_window":120000000000,"compression":"none",\
                "allow_direct":true}
                """)
    }

    @Test func `a stream is deleted by its name`() throws {
        let subject = JetStreamAPI.streamDelete(try SubjectToken("NAV_000"))
        #expect(subject.text == "$JS.API.STREAM.DELETE.NAV_000")
        for success in [true, false] {
            let type = "io.nats.jetstream.api.v1.stream_delete_response"
            let answer = try message(body: #"{"type":"\#(type)","success":\#(success)}"#)
                .answer(as: Done.self)
            guard case .value(let done) = answer else {
                Issue.record("refused")
                return
            }
            #expect(done.isDone == success)
        }
    }

    @Test func `the request for a consumer is the recorded one`() throws {
        let consumer = OrderedConsumer(
            stream: try SubjectToken("NAV_000"), name: try SubjectToken("c1"),
            deliverSubject: try Subject("feed.1"), start: .sequence(1),
            filter: try SubjectFilter("nav.000.s.>"), headersOnly: true)
        #expect(
            String(decoding: consumer.body, as: UTF8.self) == """
                {"stream_name":"NAV_000","config":{"name":"c1","deliver_subject":"feed.1",\
                "ack_policy":"none","max_deliver":1,"replay_policy":"instant","flow_control":true,\
                "idle_heartbeat":500000000,"inactive_threshold":5000000000,"mem_storage":true,\
                "num_replicas":1,"deliver_policy":"by_start_sequence","opt_start_seq":1,\
                "filter_subject":"nav.000.s.>","headers_only":true}}
                """)
        guard
            case .value(let created) = try Transcript.message("consumer create").answer(
                as: ConsumerCreated.self)
        else {
            Issue.record("refused")
            return
        }
        #expect(created.pending == 3)
    }

    @Test(arguments: [
        (#"{}"#, "config"), (#"{"config":{}}"#, "state"),
        (#"{"config":{},"state":{"messages":1}}"#, "bytes"),
        (
            #"{"config":{},"state":{"messages":1,"bytes":1,"first_seq":1,"last_seq":-1}}"#,
            "last_seq"
        ),
        (
            #"{"config":{},"state":{"messages":1,"bytes":1,"first_seq":1,"last_seq":1},"cluster":1}"#,
            "cluster"
        ),
        (
            #"{"config":{},"state":{"messages":1,"bytes":1,"first_seq":1,"last_seq":1}}"#,
            "created"
        ),
    ])
    func `malformed stream info is rejected`(text: String, member: String) {
        #expect(throws: BodyError.member(member)) {
            try message(body: text).answer(as: StreamInfo.self)
        }
    }
}
