internal import Bytes

/// The host of a pattern.
enum LinkHost: Sendable {
    /// This host with its port; empty for three slashes, and nil if no slash follows the scheme or
    /// there is none.
    case fixed(ExactString?)
    /// A host with a capture for one label, between these texts.
    case label(prefix: String, name: String, suffix: String)

    static let malformed = LinkPattern.Malformed(
        detail: "must have at most one {name} in the host, as a whole label")

    /// The most letters of a label (RFC 1035 §2.3.4).
    private static let lettersMax = 63

    init(_ host: LinkURL.Bytes?) throws(LinkPattern.Malformed) {
        guard let text = host, let open = text.firstIndex(of: UInt8(ascii: "{")) else {
            self = .fixed(host.map(LinkURL.host))
            return
        }
        guard let close = text[open...].firstIndex(of: UInt8(ascii: "}")) else {
            throw Self.malformed
        }
        let (prefix, suffix) = (text[..<open], text[text.index(after: close)...])
        guard prefix.isEmpty || prefix.last == UInt8(ascii: "."),
            suffix.isEmpty || suffix.first == UInt8(ascii: ".")
                || suffix.first == UInt8(ascii: ":"),
            !prefix.contains(where: Self.cannotSurround),
            !suffix.contains(where: Self.cannotSurround)
        else { throw Self.malformed }
        self = .label(
            prefix: LinkURL.host(prefix).text,
            name: try LinkPattern.name(text[text.index(after: open)..<close]),
            suffix: LinkURL.host(suffix).text)
    }

    /// A second capture, and what separates the host from the user in front of it.
    private static func cannotSurround(_ byte: UInt8) -> Bool {
        LinkPattern.isBrace(byte) || byte == UInt8(ascii: "@")
    }

    /// The name of the capture, if there is one.
    var name: String? {
        switch self {
        case .fixed: nil
        case .label(_, let name, _): name
        }
    }

    /// Whether a host matches; then the capture has its value.
    func matches(_ host: ExactString?, _ found: inout Captures) -> Bool {
        switch self {
        case .fixed(let own): return own == host
        case .label(let prefix, let name, let suffix):
            guard let bytes = host?.text.utf8,
                bytes.count > prefix.utf8.count + suffix.utf8.count,
                bytes.starts(with: prefix.utf8),
                bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            else { return false }
            let label = bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
            guard Self.isLabel(label) else { return false }
            found[name] = String(Substring(label))
            return true
        }
    }

    /// Whether there is a host, also if it is empty.
    var isPresent: Bool {
        switch self {
        case .fixed(let host): host != nil
        case .label: true
        }
    }

    /// The host that captures the value, or nil if none does. Empty without a host.
    func written(_ values: Captures) -> String? {
        switch self {
        case .fixed(let host): return host?.text ?? ""
        case .label(let prefix, let name, let suffix):
            guard let value = values[name], Self.isLabel(Substring(value).utf8) else { return nil }
            return prefix + value + suffix
        }
    }

    /// A label in lower case.
    private static func isLabel(_ text: LinkURL.Bytes) -> Bool {
        (1...lettersMax).contains(text.count)
            && text.allSatisfy {
                (0x61...0x7A).contains($0) || ASCII.isDigit($0) || $0 == 0x2D || $0 == 0x5F
            }
    }
}
