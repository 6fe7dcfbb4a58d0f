internal import Bytes
public import HTTP
internal import Navigation

/// Decides from which hosts and origins requests are accepted, before anything else is checked.
///
/// Every page in the user's browser can reach a service on a loopback address. Three checks keep
/// such pages out: `Host` must not be a name whose DNS entry was changed to 127.0.0.1; `Origin` and
/// `Sec-Fetch-Site` of a change must not be those of a foreign page; and a body must be declared as
/// JSON, which a page cannot do without a preflight request.
public struct RequestOriginPolicy: Equatable, Sendable {
    /// Names in `Host` that are accepted in addition to those of `otherHosts`, in lower case.
    public var allowedHosts: [String] = []
    /// The names that are accepted without being listed.
    public var otherHosts = OtherHosts.loopback
    /// Origins whose pages may send requests, in lower case: `https://app.example`.
    public var allowedOrigins: [String] = []

    /// Names that need not be listed. DNS can make any other name point to this machine.
    public enum OtherHosts: Sendable {
        /// localhost and loopback addresses: for a server that only this machine can reach.
        case loopback
        /// These and all other IP addresses: for a server that others can reach without a token.
        case addresses
        /// Every name: for a server with tokens, which a foreign page does not have.
        case any
    }

    public init() {}

    /// Why the request is refused, or nil if it is accepted.
    public func problem(of request: Request) -> Problem? {
        hostProblem(request, otherHosts) ?? originProblem(request)
    }

    /// The same at the address of the metrics, where no token is needed: names that DNS can change
    /// are not accepted there.
    public func metricsProblem(of request: Request) -> Problem? {
        hostProblem(request, .addresses)
    }

    // MARK: - Host

    private func hostProblem(_ request: Request, _ others: OtherHosts) -> Problem? {
        guard let range = request.host, !Self.isLoopback(request.bytes, range) else { return nil }
        let advice: String
        switch others {
        case .any: return nil
        case .loopback: advice = "Call the server as localhost or 127.0.0.1"
        case .addresses where Self.isAddress(request.bytes, range): return nil
        case .addresses: advice = "Call the server as localhost or by its IP address"
        }
        let host = request.text(range)?.lowercased() ?? ""
        if allowedHosts.contains(host) || Self.isExempt(request) { return nil }
        return Problem(.hostNotAllowed, "\(advice), or allow this name with --allowed-host.")
    }

    /// Probes use whatever address a container has.
    static func isExempt(_ request: Request) -> Bool {
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

    /// The `Origin` in lower case, or nil if the field is absent. Browsers write it in ASCII.
    /// Anything else becomes an empty text, which no origin equals.
    static func origin(of request: Request) -> String? {
        guard let range = request[.origin] else { return nil }
        guard request.bytes[range].allSatisfy({ $0 < 0x80 }) else { return "" }
        return request.text(range)?.lowercased() ?? ""
    }

    /// Whether the page came from this server, by the host of the request: that of the target if it
    /// has one, and that of `Host` otherwise (RFC 9112 §3.2.2).
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
