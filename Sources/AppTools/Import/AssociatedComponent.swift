internal import Bytes
internal import JSON

/// A component of an `apple-app-site-association`: a condition on path, query and fragment.
struct AssociatedComponent {
    let isExcluded: Bool
    private(set) var comment: String?
    /// The parts that its patterns do not express.
    private(set) var lost: [String] = []
    private(set) var params: [ImportedParam] = []
    private var glob: Glob
    private let path: URLShape
    private var fragment: URLShape?
    private var query: [QueryItem] = []

    private struct QueryItem {
        var key: String
        /// The values as `*` and `?` describe them.
        var pieces: [URLPiece]
        /// The capture, or nil for one fixed value.
        var name: String?
    }

    private static let members = ["/", "?", "#", "exclude", "comment", "caseSensitive"]

    /// Whether a member has a meaning here.
    static func known(_ name: String) -> Bool { members.contains { $0 == name } }

    /// - Parameters:
    ///   - settings: the defaults of the file.
    ///   - variables: the ones that the file defines.
    init(_ object: JSONObject, _ settings: JSONObject, variables: JSONObject) {
        isExcluded = object["exclude"] == .bool(true)
        if case .string(let text)? = object["comment"] { comment = text }
        glob = Glob(
            variables: variables,
            ignoresCase: (object["caseSensitive"] ?? settings["caseSensitive"]) == .bool(false))
        path = URLShape(glob.pieces(Self.text(object["/"]) ?? "*"))
        lost = path.lost
        params = path.params
        readQuery(object["?"])
        if let text = Self.text(object["#"]), text != "*" {
            let shape = URLShape(glob.pieces(text), besides: params.map(\.name))
            fragment = shape
            params += shape.params
            lost += shape.lost
        }
        finish()
    }

    /// A path of the older form: `NOT /a/*`.
    init(path text: String, variables: JSONObject) {
        let words = text.split(separator: " ", maxSplits: 1)
        isExcluded = words.count > 1 && words[0] == "NOT"
        glob = Glob(variables: variables)
        path = URLShape(glob.pieces(isExcluded ? String(words[1]) : text))
        lost = path.lost
        params = path.params
        finish()
    }

    var ignoresCase: Bool { glob.ignoresCase }

    /// Collects the parts that are not expressed. To exclude too much is the safer way: such a URL
    /// still opens in the browser, but the app may have no screen for one that is not excluded.
    private mutating func finish() {
        lost += glob.lost
        let checked = params.filter(\.isChecked).map(\.name).joined(separator: " and ")
        guard isExcluded, !checked.isEmpty else { return }
        lost.append(
            "excludes every value of \(checked), since a redirect checks none: the URLs that it "
                + "excludes beyond those meant still open in the browser")
    }

    private static func text(_ value: JSON?) -> String? {
        if case .string(let text)? = value { text } else { nil }
    }

    // MARK: - The query

    private mutating func readQuery(_ value: JSON?) {
        switch value {
        case .object(let object)?:
            for member in object.members { addQuery(member.key, Self.text(member.value) ?? "*") }
        case .string(let text)? where text != "*":
            for item in text.split(separator: "&") {
                let parts = item.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, !parts[0].contains("*"), !parts[0].contains("?") else {
                    lost.append(unchecked("the query \(item)"))
                    continue
                }
                addQuery(String(parts[0]), String(parts[1]))
            }
        case .string?, nil: break
        case .null?, .bool?, .integer?, .double?, .array?: lost.append(unchecked("the query"))
        }
    }

    private func unchecked(_ part: String) -> String {
        "\(part) is not checked" + (isExcluded ? ", so URLs without it are excluded, too" : "")
    }

    private mutating func addQuery(_ key: String, _ glob: String) {
        let pieces = self.glob.pieces(glob)
        var item = QueryItem(key: key, pieces: pieces)
        if pieces.contains(where: { if case .literal = $0 { false } else { true } }) {
            let name = URLShape.unused(key, params.map(\.name))
            item.name = name
            params.append(
                ImportedParam(name: name, schema: Glob.schema(pieces), isRequired: true))
        }
        query.append(item)
    }

    // MARK: - The result

    /// A URL that no pattern of an imported app matches.
    static let nowhere = "excluded:link"

    /// The URL to which it redirects if it excludes URLs. The query values are in its path, because
    /// a redirect matches without the others.
    var redirect: String { query.compactMap(\.name).reduce(Self.nowhere) { "\($0)/{\($1)}" } }

    /// Whether only a fragment makes it exclude a URL.
    var excludesByFragment: Bool { isExcluded && fragment != nil && path.isAny && query.isEmpty }

    /// The patterns that together match what the component matches.
    ///
    /// - Parameter other: a component that excludes URLs by their fragments. With it, the patterns
    ///   match what both match. There are none if this one asks for a fragment itself.
    func patterns(
        host: String?, excludedBy other: AssociatedComponent? = nil
    ) -> [URLShape.Variant] {
        if other != nil, self.fragment != nil { return [] }
        let fragment = self.fragment ?? other?.fragment
        let start = host.map { "https://\($0)" } ?? ""
        let items = query.map { item in
            let key = URLShape.escaped(item.key, besides: "")
                .replacing("&", with: "%26").replacing("=", with: "%3D")
            if let name = item.name { return "\(key)={\(name)}" }
            guard case .literal(let text)? = item.pieces.first else { return "\(key)=" }
            return "\(key)=" + URLShape.escaped(text).replacing("&", with: "%26")
        }
        let suffix = items.isEmpty ? "" : "?" + items.joined(separator: "&")
        let names = query.compactMap(\.name)
        var patterns: [URLShape.Variant] = []
        for one in path.paths {
            // Other programs take what is behind two slashes for a host.
            guard host != nil || !one.text.hasPrefix("//") else { continue }
            let main = URLShape.Variant(
                text: start + one.text + suffix, names: one.names + names, pieces: one.pieces)
            guard let fragment else {
                patterns.append(main)
                continue
            }
            patterns += fragment.patterns.map { other in
                URLShape.Variant(
                    text: main.text + "#\(other.text)", names: main.names + other.names,
                    pieces: main.pieces)
            }
        }
        return patterns
    }

    /// A name for its route: the comment, if that is short, or the words of the path.
    var name: String {
        if let comment, (1...4).contains(ImportedApp.words(of: comment).count) { return comment }
        let words = path.words
        return words.isEmpty ? (fragment?.words.first ?? "start") : words.joined(separator: " ")
    }

    /// Two components with the same identity match the same URLs.
    var identity: String {
        "\(isExcluded) \(ignoresCase) " + patterns(host: nil).map(\.text).joined(separator: " ")
            + params.map { JSON.object($0.schema).text }.joined()
    }

    /// Whether it does not matter which of the two comes first.
    func isSettled(with earlier: AssociatedComponent) -> Bool {
        isExcluded && earlier.isExcluded || earlier.excludesByFragment && fragment == nil
    }

    /// Whether a query and a fragment can match both.
    func overlaps(_ other: AssociatedComponent) -> Bool {
        if let fragment, let otherFragment = other.fragment,
            !URLShape.overlap(fragment.pieces, otherFragment.pieces)
        {
            return false
        }
        return !query.contains { item in
            other.query.contains {
                $0.key == item.key && !URLShape.overlap(item.pieces, $0.pieces)
            }
        }
    }
}
