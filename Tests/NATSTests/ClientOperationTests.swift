import NATS
import TestSupport
import Testing

/// The encoding of operations that a client sends.
@Suite struct ClientOperationTests {
    private func text(_ operation: ClientOperation) -> String {
        var out: [UInt8] = []
        operation.encode(into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    @Test func `operations without a payload`() throws {
        #expect(text(.ping) == "PING\r\n" && text(.pong) == "PONG\r\n")
        let filter = try SubjectFilter("_INBOX.n.17.*")
        #expect(text(.subscribe(filter, SubscriptionID(3))) == "SUB _INBOX.n.17.* 3\r\n")
        #expect(text(.unsubscribe(SubscriptionID(3))) == "UNSUB 3\r\n")
    }

    @Test func `CONNECT carries the options and the credentials`() {
        func connect(_ credentials: ConnectOptions.Credentials) -> String {
            text(
                .connect(
                    ConnectOptions(
                        credentials: credentials, name: "nav\"state\r\n", version: "1.0")))
        }
        let common = """
            CONNECT {"verbose":false,"pedantic":false,"tls_required":false,"headers":true,\
            "no_responders":true,"echo":true,"protocol":1,"lang":"swift",\
            "name":"nav\\"state\\r\\n","version":"1.0"
            """
        #expect(connect(.none) == common + "}\r\n")
        #expect(
            connect(.user("a", password: "p\"")) == common + #","user":"a","pass":"p\""}"# + "\r\n")
        #expect(connect(.token("t")) == common + #","auth_token":"t"}"# + "\r\n")
    }

    @Test func `PUB and HPUB state the sizes of headers and payload`() throws {
        let subject = try Subject("nav.000.s.a")
        #expect(text(.publish(Publication(subject))) == "PUB nav.000.s.a 0\r\n\r\n")
        let reply = try Subject("_INBOX.1")
        let plain = Publication(subject, reply: reply, payload: Array("one".utf8))
        #expect(text(.publish(plain)) == "PUB nav.000.s.a _INBOX.1 3\r\none\r\n")
        let headers = [Header.expectedLastSequence(184_320), try Header("N", "2 0 shop")]
        let write = Publication(subject, reply: reply, headers: headers, payload: [0x78])
        #expect(
            text(.publish(write)) == """
                HPUB nav.000.s.a _INBOX.1 70 71\r\nNATS/1.0\r\n\
                Nats-Expected-Last-Subject-Sequence: 184320\r\nN: 2 0 shop\r\n\r\nx\r\n
                """)
    }

    @Test func `a message that exceeds a limit is rejected`() throws {
        let limits = ProtocolLimits(payloadBytesMax: 40, headerBytesMax: 20)
        let subject = try Subject("a")
        let header = try Header("A", "b")
        func fits(_ headers: [Header], _ bytes: Int) -> Bool {
            Publication(subject, headers: headers, payload: Array(repeating: 0, count: bytes))
                .fits(limits)
        }
        #expect(fits([], 40) && !fits([], 41))
        #expect(fits([header], 22) && !fits([header], 23))
        #expect(!fits([header, header], 0))
    }

    /// The sizes are right: a server that just forwards a message delivers what was published.
    @Test(.seeded) func `a published message arrives unchanged`() throws {
        var dice = SplitMix64()
        for _ in 0..<1_000 {
            let tokens = (0...dice.below(4)).map { _ in "t\(dice.below(1_000))" }
            let subject = tokens.joined(separator: ".")
            let payload = dice.bytes(dice.below(200))
            let headers = (0..<dice.below(4)).map { ("H\($0)", "v \(dice.below(1_000))é") }
            let publication = Publication(
                try Subject(subject), reply: dice.oneIn(2) ? try Subject("r.\(subject)") : nil,
                headers: try headers.map { try Header($0.0, $0.1) }, payload: payload)
            var sent: [UInt8] = []
            ClientOperation.publish(publication).encode(into: &sent)
            let found = try message(handedOn(sent))
            #expect(try found.subject().text == subject)
            #expect(
                found.reply.map { String(decoding: $0, as: UTF8.self) }
                    == publication.reply?.text)
            #expect(Array(found.content) == payload)
            let block = try found.headers()
            #expect((block == nil) == headers.isEmpty)
            for (name, value) in headers { #expect(block?.text(name) == value) }
        }
    }

    /// Turns `PUB a …` into `MSG a 1 …`, as a server does.
    private func handedOn(_ sent: [UInt8]) -> [UInt8] {
        guard let space = sent.firstIndex(of: 0x20),
            let second = sent[(space + 1)...].firstIndex(of: 0x20)
        else { return [] }
        let verb = sent.first == UInt8(ascii: "H") ? "HMSG" : "MSG"
        return Array(verb.utf8) + sent[space..<second] + Array(" 1".utf8) + sent[second...]
    }
}
