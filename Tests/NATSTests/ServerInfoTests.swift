import JSON
import NATS
import Testing

/// `INFO`, and the versions and addresses in it.
@Suite struct ServerInfoTests {
    private func info(_ text: String) throws(BodyError) -> ServerInfo {
        guard let value = try? JSON(parsing: Array(text.utf8)), case .object(let members) = value
        else { throw .notAnObject }
        return try ServerInfo(members)
    }

    @Test func `INFO of a real server, before and after CONNECT and with authentication`() throws {
        let info = try Transcript.info("info")
        #expect(info.name == "n1" && info.version.description == "2.15.1")
        #expect(info.payloadBytesMax == 1 << 20)
        #expect(info.traits == [.headers])
        #expect(try Transcript.info("info connected").traits == [.headers])
        let auth = try Transcript.info("info auth")
        #expect(auth.traits == [.headers, .authRequired])
        #expect(auth.payloadBytesMax == 65_536)
    }

    @Test func `lame duck mode is announced`() throws {
        #expect(try !Transcript.info("info cluster").traits.contains(.lameDuck))
        #expect(try Transcript.info("info lame duck").traits.contains(.lameDuck))
    }

    @Test(arguments: [
        (#"{}"#, "version"), (#"{"version":1}"#, "version"), (#"{"version":"x"}"#, "version"),
        (#"{"version":"2.15.1"}"#, "max_payload"),
        (#"{"version":"2.15.1","max_payload":-1}"#, "max_payload"),
        (#"{"version":"2.15.1","max_payload":1.5}"#, "max_payload"),
        (#"{"version":"2.15.1","max_payload":1,"headers":1}"#, "headers"),
    ])
    func `a missing or invalid member is reported by name`(text: String, member: String) {
        #expect(throws: BodyError.member(member)) { try info(text) }
    }

    @Test(arguments: [
        ("2.15.1", "2.15.1"), ("2.15.0-dev", "2.15.0"), ("2.9.10-RC.1", "2.9.10"),
        ("10.0.0", "10.0.0"),
    ])
    func `a version is three numbers`(text: String, expected: String) {
        #expect(ServerVersion(text)?.description == expected)
    }

    @Test(arguments: ["", "2", "2.15", "2.15.", "2.15.1.4", "v2.15.1", "2..1", "2.1234567.1"])
    func `a malformed version is rejected`(text: String) {
        #expect(ServerVersion(text) == nil)
    }

    @Test func `versions are ordered by number`() throws {
        let least = ServerVersion(major: 2, minor: 15, patch: 0)
        #expect(try #require(ServerVersion("2.9.25")) < least)
        #expect(try #require(ServerVersion("2.15.1")) > least)
        #expect(try #require(ServerVersion("2.15.0")) >= least)
    }

    @Test(arguments: [
        ("localhost", "localhost", 4_222, "localhost:4222"), ("a-b.c:1", "a-b.c", 1, "a-b.c:1"),
        ("10.0.0.1:65535", "10.0.0.1", 65_535, "10.0.0.1:65535"),
        ("[::1]:5", "::1", 5, "[::1]:5"), ("[fe80::1]", "fe80::1", 4_222, "[fe80::1]:4222"),
    ])
    func `an address is a host and a port`(text: String, host: String, port: Int, out: String) {
        let address = ServerAddress(text)
        #expect(address?.host == host && address?.port == port && address?.description == out)
    }

    @Test(arguments: [
        "", ":4222", "a:", "a:0", "a:65536", "a:x", "a b:1", "a:1:2", "::1", "[::1", "[]:1",
        "[::1]x", "[a]b:1", "[g::1]:1", "nats://a:1", "u@a:1", "a/b:1", "ä:1", "a:-1", "a:+1",
    ])
    func `a malformed address is rejected`(text: String) {
        #expect(ServerAddress(text) == nil)
    }
}
