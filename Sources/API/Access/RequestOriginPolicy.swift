internal import Bytes
package import HTTP

/// Who may come in, before anything else is looked at.
///
/// A service on loopback is within reach of every page in the user's browser. Three things keep such
/// a page out: a name that was bent to 127.0.0.1 is refused by `Host`; a change that a foreign page
/// sends is refused by `Origin` and `Sec-Fetch-Site`; and a body must be called JSON, which a page
/// cannot do without asking first.
package struct RequestOriginPolicy: Equatable, Sendable {
    /// Names in `Host` that are accepted besides those of `otherHosts`, in lower case.
    package var allowedHosts: [String] = []
    /// Which names are accepted without being listed.
    package var otherHosts = OtherHosts.loopback
    /// Origins whose pages may call, in lower case: `https://app.example`.
    package var allowedOrigins: [String] = []

    /// Names that need not be listed. DNS can make any other name point to this machine.
    package enum OtherHosts: Sendable {
        /// localhost and loopback addresses: for a server that only this machine reaches.
        case loopback
        /// These and all other IP addresses: for a server that others reach without a token.
        case addresses
        /// Every name: for a server whose tokens a foreign page does not have.
        case any
    }

    package init() {}

    /// Why the request is refused; nil if it may come in.
    package func problem(of request: Request) -> Problem? {
        hostProblem(request, otherHosts) ?? originProblem(request)
    }

    /// The same at the address of the metrics, where nobody needs a token: no name is accepted
    /// there that DNS can change.
    package func metricsProblem(of request: Request) -> Problem? {
        hostProblem(request, .addresses)
    }

    // MARK: - Host

    private func hostProblem(_ request: Request, _ others: OtherHosts) -> Problem? {
        guard let range = request.host, !Self.isLoopback(request.bytes, range) else { return nil }
        let advice: String
        switch others {
        case .any: return nil
        case .loopback: advice = "Call the server by localhost or 127.0.0.1"
        case .addresses where Self.isAddress(request.bytes, range): return nil
        case .addresses: advice = "Call the server by localhost or its IP address"
        }
        let host = request.text(range)?.lowercased() ?? ""
        if allowedHosts.contains(host) || Self.isExempt(request) { return nil }
        return Problem(.hostNotAllowed, "\(advice), or allow this name with --allowed-host.")
    }

    /// Probes call a container by whatever address it has.
    private static func isExempt(_ request: Request) -> Bool {
        let path = request.bytes[request.path]
        return path.elementsEqual("/livez".utf8) || path.elementsEqual("/readyz".utf8)
    }

    /// `localhost`, `127.x.y.z` and `[::1]`, in any case.
    private static func isLoopback(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        if bytes.matches(range, ignoringCase: "localhost") { return true }
        if bytes.matches(range, ignoringCase: "127.0.0.1") { return true }
        if bytes.matches(range, ignoringCase: "[::1]") { return true }
        return isIPv4(bytes[range]) && bytes[range].starts(with: "127.".utf8)
    }

    /// `10.0.0.1` and `[fd00::1]`; what is in brackets has been checked with the request.
    private static func isAddress(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        bytes[range].first == UInt8(ascii: "[") || isIPv4(bytes[range])
    }

    private static func isIPv4(_ host: ArraySlice<UInt8>) -> Bool {
        let parts = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(isDigit) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { ASCII.isDigit(byte) }

    // MARK: - Origin

    private func originProblem(_ request: Request) -> Problem? {
        guard !request.method.isSafe else { return nil }
        guard let origin = Self.origin(of: request) else {
            let isForeign = request.has(.secFetchSite, "cross-site")
            return isForeign ? Self.foreign : nil
        }
        if allowedOrigins.contains(origin) || isOwn(origin, request) { return nil }
        return Self.foreign
    }

    /// The `Origin` in lower case; nil if there is none. A browser writes it in ASCII. Anything else
    /// becomes an empty text, which equals no origin.
    static func origin(of request: Request) -> String? {
        guard let range = request[.origin] else { return nil }
        guard request.bytes[range].allSatisfy({ $0 < 0x80 }) else { return "" }
        return request.text(range)?.lowercased() ?? ""
    }

    /// Whether the page came from this very server, by the name that the request is for: a target
    /// that names one makes `Host` mean nothing (RFC 9112 §3.2.2).
    private func isOwn(_ origin: String, _ request: Request) -> Bool {
        guard let range = request.host, let name = request.text(range)?.lowercased() else {
            return false
        }
        let host = request.port.map { "\(name):\($0)" } ?? name
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    private static let foreign = Problem(
        .originNotAllowed,
        "Cross-origin requests are rejected. Allow this origin with --allowed-origin.")
}
