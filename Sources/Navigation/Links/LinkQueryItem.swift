internal import Bytes

/// A query value of a pattern: `key={name}`, `key={name?}`, or `key=text`, which is fixed.
struct LinkQueryItem: Sendable {
    /// The decoded key; in lower case if the case of letters does not count.
    let key: ExactString
    /// The key, or the whole item if its value is fixed, as a URL has it.
    private let written: String
    private let ignoresCase: Bool
    let value: Value
    /// Whether the URL has to have the value, because a required param or the path of a redirect
    /// needs it.
    private(set) var isNeeded = false

    enum Value: Sendable {
        case fixed(LinkLiteral)
        case capture(String, isOptional: Bool)
    }

    /// The name of its capture, if it has one.
    var name: String? {
        switch value {
        case .fixed: nil
        case .capture(let name, _): name
        }
    }

    /// The value that every URL has to have, if it is fixed.
    var fixed: LinkLiteral? {
        switch value {
        case .fixed(let literal): literal
        case .capture: nil
        }
    }

    static func items(
        _ text: LinkURL.Bytes, ignoringCase: Bool
    ) throws(LinkPattern.Malformed) -> [LinkQueryItem] {
        var items: [LinkQueryItem] = []
        var known: Set<ExactString> = []
        for raw in text.split(separator: UInt8(ascii: "&")) {
            let item = try LinkQueryItem(raw, ignoringCase: ignoringCase)
            guard known.insert(item.key).inserted else {
                throw LinkPattern.Malformed(detail: "must not have the same query key twice")
            }
            items.append(item)
        }
        return items
    }

    private init(_ raw: LinkURL.Bytes, ignoringCase: Bool) throws(LinkPattern.Malformed) {
        let rawKey = raw.prefix { $0 != UInt8(ascii: "=") }
        let rawValue = raw.dropFirst(rawKey.count + 1)
        guard let key = LinkURL.decoded(rawKey, plusIsBlank: true), !key.isEmpty else {
            throw LinkPattern.Malformed(detail: "must have query keys that are not empty")
        }
        self.key = ExactString(ignoringCase ? key.inLowerCase : key)
        ignoresCase = ignoringCase
        if rawValue.first == UInt8(ascii: "{"), rawValue.last == UInt8(ascii: "}") {
            let inner = rawValue.dropFirst().dropLast()
            let isOptional = inner.last == UInt8(ascii: "?")
            let name = isOptional ? inner.dropLast() : inner
            guard !name.contains(where: LinkPattern.isBrace) else { throw Self.malformed }
            value = .capture(try LinkPattern.name(name), isOptional: isOptional)
            written = LinkLiteral.written(rawKey)
        } else {
            guard !raw.contains(where: LinkPattern.isBrace) else { throw Self.malformed }
            value = .fixed(
                try LinkLiteral(rawValue, ignoringCase: ignoringCase, isQuery: true))
            written = LinkLiteral.written(raw)
        }
    }

    private static let malformed = LinkPattern.Malformed(
        detail: "must have query values that are fixed, {name} or {name?}")

    mutating func mark(needed: Set<ExactString>) {
        isNeeded = name.map { needed.contains(ExactString($0)) } ?? false
    }

    /// The values of the key in a URL.
    func values(in query: LinkQuery) -> [ExactString] {
        query.values(of: key, ignoringCase: ignoresCase)
    }

    /// Whether the query has the value that it must have; then the capture has its values.
    func matches(_ query: LinkQuery, _ found: inout Captures) -> Bool {
        let values = values(in: query)
        switch value {
        case .fixed(let literal):
            return values.first.map { literal.matches($0.text.utf8) } ?? false
        case .capture(let name, _):
            found.set(name, to: values.map { $0.text })
            return !isNeeded || !values.isEmpty
        }
    }

    /// The items of a query with these values: one for each value of a list.
    func written(_ values: Captures) -> [String] {
        switch value {
        case .fixed: return [written]
        case .capture(let name, _):
            let all = values.list(name) ?? values[name].map { [$0] } ?? []
            return all.map { written + "=" + PercentCoding.encode($0) }
        }
    }
}
