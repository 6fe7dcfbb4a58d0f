import NATS
import Testing

/// Subjects, filters and tokens.
@Suite struct SubjectTests {
    @Test(arguments: ["a", "a.b", "nav.000.s.kiosk-1!x", "$JS.API.INFO", "é.~", "_INBOX.n.17.4711"])
    func `a subject consists of tokens separated by dots`(text: String) throws {
        #expect(try Subject(text).text == text)
        #expect(try SubjectFilter(text) == SubjectFilter(try Subject(text)))
        #expect(try Subject(Array(text.utf8)[...]).text == text)
    }

    @Test(arguments: [
        ("", SubjectError.emptyToken), (".", .emptyToken), ("a.", .emptyToken), (".a", .emptyToken),
        ("a..b", .emptyToken), ("a b", .byte(0x20)), ("a\t", .byte(9)), ("a\r\nPING", .byte(13)),
        ("a\u{0}", .byte(0)), ("\u{7f}", .byte(0x7F)), ("*", .wildcard), (">", .wildcard),
        ("a.*.b", .wildcard), ("a.>", .wildcard), ("a*", .wildcard), ("a>b", .wildcard),
        (String(repeating: "a", count: 1_025), .tooLong(bytesMax: 1_024)),
    ])
    func `a malformed subject is rejected`(text: String, error: SubjectError) {
        #expect(throws: error) { try Subject(text) }
        #expect(throws: error) { try SubjectToken(text) }
    }

    @Test(arguments: ["*", ">", "a.*", "a.>", "*.*.>", "live.000.s.*", "a.b"])
    func `a filter has wildcards as whole tokens`(text: String) throws {
        #expect(try SubjectFilter(text).text == text)
    }

    @Test(arguments: ["a.>.b", ">.a", "a*", "*a", "a.**", ">>", "a.b>", "a. *"])
    func `a wildcard anywhere else is rejected`(text: String) {
        #expect(throws: SubjectError.self) { try SubjectFilter(text) }
    }

    @Test func `a token has no dot`() throws {
        #expect(throws: SubjectError.dot) { try SubjectToken("a.b") }
        #expect(try SubjectToken("kiosk-1").text == "kiosk-1")
        #expect(throws: SubjectError.tooLong(bytesMax: 1_024)) {
            try SubjectToken(String(repeating: "a", count: 1_025))
        }
    }

    @Test func `the subjects of the JetStream API`() throws {
        let (stream, name) = (try SubjectToken("NAV_000"), try SubjectToken("c1"))
        #expect(JetStreamAPI.streamInfo(stream).text == "$JS.API.STREAM.INFO.NAV_000")
        #expect(JetStreamAPI.streamCreate(stream).text == "$JS.API.STREAM.CREATE.NAV_000")
        #expect(JetStreamAPI.messageGet(stream).text == "$JS.API.STREAM.MSG.GET.NAV_000")
        #expect(JetStreamAPI.directGet(stream).text == "$JS.API.DIRECT.GET.NAV_000")
        #expect(
            JetStreamAPI.consumerCreate(stream, name).text == "$JS.API.CONSUMER.CREATE.NAV_000.c1")
    }
}
