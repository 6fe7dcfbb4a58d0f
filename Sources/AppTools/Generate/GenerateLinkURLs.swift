internal import Bytes

// The URLs that the functions of deep links build.

/// The part of a URL that a text of a pattern becomes.
enum PieceOfURL {
    /// The scheme and the host, with the marks between them.
    case origin
    case path
    /// The value of a query item.
    case query
}

extension [LinkModel.Piece] {
    /// The pieces and others behind them, as one text where two texts meet.
    func followed(by others: Self) -> Self {
        guard case .text(let left)? = last, case .text(let right)? = others.first else {
            return self + others
        }
        return dropLast() + [.text(left + right)] + others.dropFirst()
    }
}

extension LinkModel {
    /// A URL as the function builds it, in which each capture is `1`.
    ///
    /// - Parameter isFull: whether it has the captures that may be left out.
    func sample(isFull: Bool) -> String {
        let texts = parts.enumerated().map { index, part in
            let path = part.path.map { piece in
                switch piece {
                case .text(let text): text
                case .capture: "1"
                }
            }.joined()
            let items = part.query.compactMap { key, value -> String? in
                let own = PercentCoding.encode(key) + "="
                switch value {
                case .text(let text): return own + PercentCoding.encode(text)
                case .capture(let capture, _):
                    return isFull || capture.isRequired ? own + "1" : nil
                }
            }
            // A fragment that is empty would be none.
            let end = index > 0 && path.isEmpty ? "?" : ""
            return path + (items.isEmpty ? end : "?" + items.joined(separator: "&"))
        }
        return texts.joined(separator: "#")
    }
}

extension String {
    /// The scheme and the host at the beginning of a URL or a pattern; empty if it has no host.
    var origin: String {
        guard utf8.first != UInt8(ascii: "/"), let colon = utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return "" }
        let path = utf8[colon...].dropFirst()
        guard path.starts(with: "//".utf8) else { return "" }
        let ends = "/?#".utf8
        let end = path.dropFirst(2).firstIndex { ends.contains($0) } ?? utf8.endIndex
        return String(Substring(utf8[..<end]))
    }

    /// Whether the host of an origin is as RFC 3986 §3.2 has it. The types of URLs refuse others,
    /// or write them in another way: `bücher.example` becomes `xn--bcher-kva.example`.
    var isOriginOfURL: Bool {
        guard !isEmpty else { return true }
        let parts = utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
            .split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.last, parts.count == 1 || parts[0].isUser else { return false }
        guard host.first == UInt8(ascii: "[") else {
            let name = host.prefix { $0 != UInt8(ascii: ":") }
            return name.isName && host.dropFirst(name.count).isPort
        }
        let address = host.dropFirst().prefix { $0 != UInt8(ascii: "]") }
        let end = host.dropFirst(address.count + 1)
        return address.isAddress && end.first == UInt8(ascii: "]") && end.dropFirst().isPort
    }
}

extension Substring.UTF8View {
    /// Whether this is a name of a host: plain characters of a URL and escapes.
    fileprivate var isName: Bool {
        var digits = 0
        for byte in self {
            if digits > 0 {
                guard Hexadecimal.value(byte) != nil else { return false }
                digits -= 1
            } else if byte == ASCII.percent {
                digits = 2
            } else if !ASCII.isUnreserved(byte), !"!$&'()*+,;=".utf8.contains(byte) {
                return false
            }
        }
        return digits == 0
    }

    /// Whether this is a user, maybe with more behind colons.
    fileprivate var isUser: Bool {
        split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).allSatisfy(\.isName)
    }

    /// Whether this is empty, or a colon with digits.
    fileprivate var isPort: Bool {
        isEmpty || (first == UInt8(ascii: ":") && dropFirst().allSatisfy(ASCII.isDigit))
    }

    /// Whether this may be the address of a host in version 6 of the protocol.
    fileprivate var isAddress: Bool {
        contains(UInt8(ascii: ":"))
            && allSatisfy {
                Hexadecimal.value($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
    }
}
