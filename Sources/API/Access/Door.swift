internal import Bytes
package import HTTP

/// Who may come in, before anything else is looked at.
///
/// A service on loopback is within reach of every page in the user's browser. Three things keep such
/// a page out: a name that was bent to 127.0.0.1 is refused by `Host`; a change that a foreign page
/// sends is refused by `Origin` and `Sec-Fetch-Site`; and a body must be called JSON, which a page
/// cannot do without asking first.
package struct Door: Equatable, Sendable {
    /// Besides these: localhost and loopback addresses. nil: any name, for servers that listen on
    /// other addresses and were given no names.
    package var allowedHosts: [String]? = []
    /// Origins whose pages may call, in lower case: `https://app.example`.
    package var allowedOrigins: [String] = []

    package init() {}

    /// Why the request is refused; nil if it may come in.
    package func problem(of request: Request) -> Problem? {
        hostProblem(request) ?? originProblem(request)
    }

    // MARK: - Host

    private func hostProblem(_ request: Request) -> Problem? {
        guard let allowedHosts, let range = request.host, !Self.isLoopback(request.bytes, range)
        else { return nil }
        let host = request.text(range)?.lowercased() ?? ""
        if allowedHosts.contains(host) || Self.isExempt(request) { return nil }
        return Problem(
            .hostNotAllowed,
            "call the server localhost or 127.0.0.1, or start it with --allowed-host")
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
        let host = bytes[range]
        let parts = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0].elementsEqual("127".utf8)
            && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(isDigit) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { ASCII.isDigit(byte) }

    // MARK: - Origin

    private func originProblem(_ request: Request) -> Problem? {
        guard !request.method.isSafe else { return nil }
        guard let origin = request.value(of: .origin)?.lowercased() else {
            let isForeign = request.has(.secFetchSite, "cross-site")
            return isForeign ? Self.foreign : nil
        }
        if allowedOrigins.contains(origin) || isOwn(origin, request) { return nil }
        return Self.foreign
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
        .originNotAllowed, "pages of other origins are kept out; start it with --allowed-origin")
}
