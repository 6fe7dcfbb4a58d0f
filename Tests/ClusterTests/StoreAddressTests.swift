import Cluster
import NATS
import Testing

@Suite struct StoreAddressTests {
    @Test func `servers, credentials and the prefix are read`() throws {
        let address = try StoreAddress(
            "nats://ann:p%40ss%2F@a.example:4333,b.example,[::1]:4/KIOSK")
        #expect(
            address.servers.map(\.description) == ["a.example:4333", "b.example:4222", "[::1]:4"])
        #expect(address.credentials == .user("ann", password: "p@ss/"))
        #expect(address.prefix.text == "KIOSK")
    }

    @Test(arguments: [
        ("nats://127.0.0.1", ConnectOptions.Credentials.none),
        ("nats://s3cret@127.0.0.1", .token("s3cret")),
        ("nats://a:b:c@127.0.0.1", .user("a", password: "b:c")),
        ("nats://a:b@c@127.0.0.1", .user("a", password: "b@c")),
    ])
    func `the prefix is NAV unless another one is given`(
        text: String, credentials: ConnectOptions.Credentials
    ) throws {
        let address = try StoreAddress(text)
        #expect(address.credentials == credentials)
        #expect(address.prefix.text == "NAV")
        #expect(address.servers.map(\.description) == ["127.0.0.1:4222"])
    }

    @Test(arguments: [
        ("", StoreAddress.ParseError.scheme), ("http://a", .scheme), ("tls://a", .scheme),
        ("nats://", .server(1)), ("nats://a,,b", .server(2)), ("nats://a:0", .server(1)),
        ("nats://a:65536", .server(1)), ("nats://a,b c", .server(2)),
        ("nats://@a", .credentials), ("nats://:p@a", .credentials), ("nats://u:@a", .credentials),
        ("nats://u:%zz@a", .credentials), ("nats://u:%0a@a", .credentials),
        ("nats://u:%ff@a", .credentials), ("nats://a/", .prefix), ("nats://a/nav", .prefix),
        ("nats://a/1A", .prefix), ("nats://a/A_B", .prefix),
        ("nats://a/" + String(repeating: "A", count: 33), .prefix),
        ("nats://" + Array(repeating: "a", count: 65).joined(separator: ","), .tooManyServers),
    ])
    func `what is wrong is told without the secret`(
        text: String, expected: StoreAddress.ParseError
    ) {
        #expect(throws: expected) { try StoreAddress(text) }
        #expect(!expected.message.isEmpty && expected.message.hasSuffix("."))
    }
}
