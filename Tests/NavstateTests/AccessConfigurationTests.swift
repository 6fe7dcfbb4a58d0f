import API
import Server
import Testing
import navstate

/// By which names a server may be called.
@Suite struct EntranceTests {
    private func door(_ address: String, hosts: [String] = [], isOpen: Bool) throws
        -> RequestOriginPolicy
    {
        var configuration = Configuration()
        configuration.access.allowedHosts = hosts
        let listen = try #require(ListenAddress(address))
        return AccessConfiguration.originPolicy(for: [listen], configuration, isOpen: isOpen)
    }

    @Test func `without a token names are checked at every address`() throws {
        #expect(try door("127.0.0.1:1", isOpen: true).otherHosts == .loopback)
        #expect(try door("unix:/run/navstate", isOpen: true).otherHosts == .loopback)
        #expect(try door("0.0.0.0:1", isOpen: true).otherHosts == .addresses)
        let named = try door("0.0.0.0:1", hosts: ["NAV.example"], isOpen: true)
        #expect(named.otherHosts == .addresses)
        #expect(named.allowedHosts == ["nav.example"])
    }

    @Test func `with a token any name will do away from loopback, unless names were given`() throws
    {
        #expect(try door("127.0.0.1:1", isOpen: false).otherHosts == .loopback)
        #expect(try door("0.0.0.0:1", isOpen: false).otherHosts == .any)
        #expect(
            try door("0.0.0.0:1", hosts: ["nav.example"], isOpen: false).otherHosts == .loopback)
    }
}
