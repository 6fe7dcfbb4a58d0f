import POSIX
import Testing

@Suite struct ClockTests {
    @Test(arguments: [
        (0, 999_999_999, 999), (1_700_000_000, 5_000_000, 1_700_000_000_005), (-1, 0, 0),
        (Int64.min, 999_999_999, 0), (253_402_300_799, 0, 253_402_300_799_000),
        (253_402_300_800, 0, 253_402_300_799_000), (Int64.max, 0, 253_402_300_799_000),
    ])
    func `a wall clock that is far off gives a time that can be written`(
        seconds: Int64, nanoseconds: Int64, milliseconds: Int64
    ) {
        #expect(Clock.milliseconds(seconds: seconds, nanoseconds: nanoseconds) == milliseconds)
    }
}

@Suite struct ClientAddressTests {
    @Test func `clients of one IPv6 network are one client`() {
        let network: UInt64 = 0x2001_0DB8_0001_0002
        #expect(ClientAddress(ipv6: network, 1) == ClientAddress(ipv6: network, .max))
        #expect(ClientAddress(ipv6: network, 1) != ClientAddress(ipv6: network + 1, 1))
    }

    @Test func `an IPv4 address within IPv6 is that address`() {
        let address = ClientAddress(ipv4: 0xC000_0201)
        #expect(ClientAddress(ipv6: 0, 0xFFFF_C000_0201) == address)
        #expect(ClientAddress(ipv4: 0xC000_0202) != address)
    }

    @Test func `an IPv4 address differs from every network of clients`() {
        #expect(ClientAddress(ipv4: 0x2001_0DB8) != ClientAddress(ipv6: 0x2001_0DB8, 1))
        #expect(ClientAddress(ipv4: 0x2001_0DB8) != ClientAddress(ipv6: 0x2001_0DB8 << 32, 1))
    }

    @Test func `loopback addresses and Unix sockets are local`() {
        #expect(ClientAddress.unix.isLocal)
        #expect(ClientAddress(ipv4: 0x7F00_0001).isLocal)
        #expect(ClientAddress(ipv4: 0x7FFF_0001).isLocal)
        #expect(ClientAddress(ipv6: 0, 1).isLocal)
        #expect(ClientAddress(ipv6: 0, 0xFFFF_7F00_0001).isLocal)
        #expect(!ClientAddress(ipv4: 0x0A00_0001).isLocal)
        #expect(!ClientAddress(ipv6: 0xFE80 << 48, 1).isLocal)
    }
}
