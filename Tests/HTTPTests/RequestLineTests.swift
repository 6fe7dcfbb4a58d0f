import HTTP
import Testing

@Suite struct RequestLineTests {
    @Test(arguments: Method.allCases)
    func `each known method is accepted`(method: Method) {
        let verdict = judge("\(method.name) /x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(verdict.summary?.method == method)
    }

    @Test(arguments: ["get", "Get", "Trace", "CONNECT", "GETT", "GE", "BREW", "M-SEARCH", "*"])
    func `unknown methods are 501, and names are case-sensitive`(name: String) {
        let verdict = judge("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(verdict == .refused(.method))
        #expect(verdict.malformation?.status == .notImplemented)
    }

    @Test func `CONNECT with an authority is 501 and not a bad target`() {
        #expect(judge("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n") == .refused(.method))
    }

    @Test func `a path and a query are split at the first question mark`() {
        let summary = judge(get(target: "/a%2Fb/../c?x=1?y=/2")).summary
        #expect(summary?.path == "/a%2Fb/../c")
        #expect(summary?.query == "x=1?y=/2")
    }

    @Test func `a question mark is found at each place`() {
        for length in 0..<20 {
            let summary = whole(Array(get(target: "/\(long(length))?q").utf8)).summary
            #expect(summary?.path == "/" + long(length))
            #expect(summary?.query == "q")
        }
    }

    @Test func `an empty query is a query`() {
        #expect(judge(get(target: "/a?")).summary?.query == "")
        #expect(judge(get(target: "/a")).summary?.query == nil)
    }

    @Test func `two slashes at the beginning are a path, not a host`() {
        let summary = judge(get(target: "//evil/x")).summary
        #expect(summary?.path == "//evil/x")
        #expect(summary?.host == "a")
    }

    @Test(arguments: ["http://b:81/p?q", "HTTP://b:81/p?q", "https://b:81/p?q"])
    func `the host of an absolute target wins over Host`(target: String) {
        let summary = judge(get(target: target)).summary
        #expect(summary?.host == "b")
        #expect(summary?.port == 81)
        #expect(summary?.path == "/p")
        #expect(summary?.query == "q")
    }

    @Test func `an absolute target may have no path`() {
        #expect(judge(get(target: "http://b")).summary?.path == "")
        #expect(judge(get(target: "http://b?q")).summary?.query == "q")
    }

    @Test(arguments: [
        "x", "a/b", "*", "a:443", "http://", "http:///x", "http://u@b/", "http://u:p@b/",
        "ftp://b/", "http:/x", "http://b:x/", "http://b:65536/", "http://[::1/", "/a#b", "?",
        "http://b\u{e9}/", "/\u{e9}", "httpx://b/",
    ])
    func `targets of other forms are refused`(target: String) {
        #expect(judge(get(target: target)) == .refused(.target))
    }

    @Test func `an asterisk is for OPTIONS alone`() {
        let verdict = judge("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(verdict.summary?.isAsterisk == true)
        #expect(verdict.summary?.path == "*")
    }

    @Test(arguments: [
        "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1", "GET /",
        "GET", "GET /x y HTTP/1.1", "GET\t/ HTTP/1.1", "GET /\tHTTP/1.1", "GET / http/1.1",
        "GET / HTTP/1", "GET / HTTP/11", "GET / HTTP/1.", "GET / HTTP/1,1", "GET / HTTP/x.1",
        "GET / HTTP/1.x", "GET / HTTPS/1.1", "GET / HTTP/1.10", "G\u{e9}T / HTTP/1.1",
        "GET\u{0} / HTTP/1.1", "(GET) / HTTP/1.1", "GET / ", "GET HTTP/1.1", "\u{16}\u{3}\u{1}",
    ])
    func `a request line has exactly its three parts`(line: String) {
        #expect(judge(wire(line, "Host: a")) == .refused(.requestLine))
    }

    @Test(arguments: ["HTTP/2.0", "HTTP/0.9", "HTTP/3.0", "HTTP/9.9"])
    func `another major version is 505`(version: String) {
        let verdict = judge(wire("GET / \(version)", "Host: a"))
        #expect(verdict == .refused(.version))
        #expect(verdict.malformation?.status == .versionNotSupported)
    }

    @Test func `the preface of HTTP 2 is 505`() {
        #expect(judge("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == .refused(.version))
    }

    @Test(arguments: 1...9)
    func `later minor versions are served as 1 point 1`(minor: Int) {
        let summary = judge(wire("GET / HTTP/1.\(minor)", "Host: a")).summary
        #expect(summary?.minorVersion == 1)
        #expect(summary?.keepsAlive == true)
    }

    @Test(arguments: [1, 2, 4])
    func `a few empty lines before a request are passed over`(count: Int) {
        let message = String(repeating: "\r\n", count: count) + get(target: "/x")
        #expect(judge(message).summary?.path == "/x")
    }

    @Test func `many empty lines before a request are refused`() {
        let message = String(repeating: "\r\n", count: 5) + get()
        #expect(judge(message) == .refused(.tooManyEmptyLines))
    }

    @Test func `an empty line is CR LF`() {
        #expect(judge("\n" + get()) == .refused(.bareLineFeed))
        #expect(judge("\r" + get()) == .refused(.bareCarriageReturn))
    }

    @Test func `a line feed alone does not end the request line`() {
        #expect(judge("GET / HTTP/1.1\nHost: a\r\n\r\n") == .refused(.bareLineFeed))
        #expect(judge("GET /\nHost: a\r\n\r\n") == .refused(.bareLineFeed))
    }

    @Test func `a carriage return alone does not end the request line`() {
        #expect(judge("GET / HTTP/1.1\rHost: a\r\n\r\n") == .refused(.bareCarriageReturn))
    }

    @Test(arguments: [0x00, 0x01, 0x1F, 0x7F] as [UInt8])
    func `control bytes in a target are refused`(byte: UInt8) {
        let message = Array("GET /".utf8) + [byte] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(judge(message) == .refused(.controlByte(byte)))
    }
}
