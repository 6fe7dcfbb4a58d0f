import HTTP
import Testing

@Suite struct HostTests {
    @Test(
        arguments: [
            ("localhost", "localhost", nil), ("LocalHost:8080", "LocalHost", 8080),
            ("127.0.0.1:80", "127.0.0.1", 80), ("[::1]", "[::1]", nil),
            ("[::1]:65535", "[::1]", 65535),
            ("a.b-c_d~e", "a.b-c_d~e", nil), ("a:", "a", nil), ("a:0", "a", 0),
            ("a:00080", "a", 80),
            ("[::ffff:1.2.3.4]:1", "[::ffff:1.2.3.4]", 1),
        ] as [(String, String, UInt16?)])
    func `a host is a name or an address with an optional port`(
        value: String, host: String, port: UInt16?
    ) {
        let summary = judge(wire("GET / HTTP/1.1", "Host: \(value)")).summary
        #expect(summary?.host == host)
        #expect(summary?.port == port)
    }

    @Test(arguments: [
        "", "a b", "a, b", "user@a", "u:p@a", "a/", "a/b", "a?b", "a:b", "a:+1", "a:-1", "a:65536",
        "a:99999999999999999999999", "[::1", "::1", "[]", "[:]", "[g::]", "[::1]x", "[::1]:x",
        ":80",
        "http://a", "a%41", "a\\b", "a#b", "\u{e9}", "a:1:2", "<a>", "a\"", "[::1]]",
    ])
    func `anything else is refused`(value: String) {
        #expect(judge(wire("GET / HTTP/1.1", "Host: \(value)")) == .refused(.host))
        #expect(judge(wire("GET / HTTP/1.0", "Host: \(value)")) == .refused(.host))
    }

    @Test func `HTTP 1 point 1 requires a host`() {
        #expect(judge(wire("GET / HTTP/1.1")) == .refused(.hostMissing))
        #expect(judge(wire("GET http://b/ HTTP/1.1")) == .refused(.hostMissing))
    }

    @Test func `HTTP 1 point 0 does not require a host`() {
        let summary = judge(wire("GET / HTTP/1.0")).summary
        #expect(summary?.host == nil)
        #expect(summary?.minorVersion == 0)
    }

    @Test func `a bad Host is refused even if the target is absolute`() {
        #expect(judge(wire("GET http://b/ HTTP/1.1", "Host: x/y")) == .refused(.host))
    }

    @Test func `two hosts are refused, even if they are equal`() {
        let verdict = judge(wire("GET / HTTP/1.1", "Host: a", "host: a"))
        #expect(verdict == .refused(.repeatedField(.host)))
    }
}
