import HTTP
import Testing

@Suite struct ChunkTests {
    private let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: [
        ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"),
        ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ("0000000000000001\r\nx\r\n0000\r\n\r\n", "x"),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"), ("3\r\n0\r\n\r\n0\r\n\r\n", "0\r\n"),
        ("1;a\r\nx\r\n0\r\n\r\n", "x"), ("1;a=b;c=\"d;\\\"\r\"\r\nx\r\n0\r\n\r\n", "?"),
        ("1 ; a = b ;c\r\nx\r\n0;z\r\n\r\n", "x"), ("1;a=\"b c\\\"\\\\\";d\r\nx\r\n0\r\n\r\n", "x"),
        ("1;a=\"\"\r\nx\r\n0\r\n\r\n", "x"), ("1\t;\ta\r\nx\r\n0\r\n\r\n", "x"),
    ])
    func `chunks are joined`(coded: String, body: String) {
        let verdict = judge(head + coded)
        if body == "?" {
            #expect(verdict == .refused(.chunkExtension))
        } else {
            #expect(verdict.summary?.body == Array(body.utf8))
        }
    }

    @Test func `trailers are read and dropped`() {
        let coded =
            "1\r\nx\r\n0\r\nAuthorization: Bearer t\r\nHost: b\r\nHost: c\r\n"
            + "Content-Length: 99\r\n\r\n"
        let summary = judge(head + coded).summary
        #expect(summary?.body == [0x78])
        #expect(summary?.lines[.authorization] == nil)
        #expect(summary?.host == "a")
    }

    @Test(arguments: [
        "x\r\n", "\r\n", " 5\r\n", "+5\r\n", "-5\r\n", "0x5\r\n", "5g\r\n", "\u{ff15}\r\n",
        "5,\r\n",
        "00000000000000005\r\nhello\r\n", "10000000000000000\r\n", "FFFFFFFFFFFFFFFFF\r\n",
        ";a\r\n",
        "g\r\n",
    ])
    func `a size is 1 to 16 hexadecimal digits`(coded: String) {
        #expect(judge(head + coded) == .refused(.chunkSize))
    }

    @Test(arguments: [
        "FFFFFFFFFFFFFFFF\r\n", "8000000000000000\r\n", "7FFFFFFFFFFFFFFF\r\n", "100001\r\n",
    ])
    func `a size over the limit is 413 and does not trap`(coded: String) {
        #expect(judge(head + coded) == .refused(.bodyTooLarge(bytesMax: 1_048_576)))
    }

    @Test func `chunks over the limit together are 413`() {
        var limits = ParserLimits()
        limits.bodyBytesMax = 8
        let five = "5\r\nhello\r\n"
        #expect(
            judge(head + five + "3\r\nabc\r\n0\r\n\r\n", limits: limits).summary?.body.count == 8)
        #expect(
            judge(head + five + "4\r\n", limits: limits) == .refused(.bodyTooLarge(bytesMax: 8)))
    }

    @Test(arguments: [
        "5\r\nhello0\r\n", "5\r\nhelloworld", "5\r\nhello\n", "5\r\nhello\r\r",
        "5\r\nhelloXX0\r\n\r\n",
        "5\r\nhello\rX",
    ])
    func `exactly CR LF follows the data`(coded: String) {
        #expect(judge(head + coded) == .refused(.chunkEnd))
    }

    @Test(arguments: [
        "5\nhello", "5;a\nhello", "5;a=\"\n\"\r\n", "0\r\n\n", "0\r\nX: y\n\r\n", "5 \n",
    ])
    func `a line feed alone ends no line of the coding`(coded: String) {
        #expect(judge(head + coded) == .refused(.bareLineFeed))
    }

    @Test(arguments: ["5\rhello", "5;a\r\r\n", "0\r\n\rX", "0\r\nX: y\rz"])
    func `a carriage return alone ends no line of the coding`(coded: String) {
        #expect(judge(head + coded) == .refused(.bareCarriageReturn))
    }

    @Test(arguments: [
        "5;\r\n", "5 \r\n", "5;=a\r\n", "5;a=\r\n", "5;a b\r\n", "5;a=\"b\r\n", "5;a=\"b\"c\r\n",
        "5;a \r\n", "5;;\r\n", "5;\u{e9}\r\n", "5;a=b c\r\n", "5;a\u{0}\r\n",
        "5;a=\"\\\u{7f}\"\r\n",
    ])
    func `an extension keeps its grammar`(coded: String) {
        #expect(judge(head + coded) == .refused(.chunkExtension))
    }

    @Test(arguments: ["X y: z\r\n\r\n", ": z\r\n\r\n", "X\r\n\r\n"])
    func `trailers are held to the grammar of fields`(trailers: String) {
        #expect(judge(head + "0\r\n" + trailers) == .refused(.fieldName))
        #expect(judge(head + "0\r\n folded\r\n\r\n") == .refused(.foldedField))
    }

    @Test func `what chunked coding adds has a bound of its own`() {
        var limits = ParserLimits()
        limits.chunkOverheadBytesMax = 32
        let refusal = Verdict.refused(.chunkOverheadTooLarge(bytesMax: 32))
        #expect(judge(head + "1;" + long(40) + "\r\nx\r\n", limits: limits) == refusal)
        let ones = String(repeating: "1\r\nx\r\n", count: 7)
        #expect(judge(head + ones + "0\r\n\r\n", limits: limits) == refusal)
        let trailers = "0\r\nX: " + long(40) + "\r\n\r\n"
        let verdict = judge(head + trailers, limits: limits)
        #expect(verdict.malformation?.status == .headersTooLarge)
    }

    @Test func `an endless extension is refused at the bound`() {
        let message = Array((head + "1;" + long(70_000)).utf8)
        #expect(whole(message) == .refused(.chunkOverheadTooLarge(bytesMax: 65_536)))
    }
}
