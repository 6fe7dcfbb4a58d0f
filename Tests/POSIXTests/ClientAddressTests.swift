import POSIX
import Testing

/// Addresses of clients, as the log has them.
@Suite struct ClientAddressTests {
    @Test func `IPv4 addresses are whole, IPv6 addresses are networks`() {
        #expect(ClientAddress(ipv4: 0x7F00_0001).text == "127.0.0.1")
        #expect(ClientAddress(ipv4: 0xC0A8_B217).text == "192.168.178.23")
        #expect(ClientAddress(ipv4: 0).text == "0.0.0.0")
        #expect(ClientAddress(ipv6: 0x2001_0DB8_0000_0001, 7).text == "2001:db8:0:1::/64")
        #expect(ClientAddress(ipv6: 0, 0xFFFF_0A00_0007).text == "10.0.0.7")
        #expect(ClientAddress(ipv6: 0, 2).text == "0:0:0:0::/64")
        #expect(ClientAddress.unix.text == "local")
        #expect(ClientAddress(ipv6: 0, 1).text == "local")
    }
}
