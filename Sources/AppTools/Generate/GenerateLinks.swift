internal import Bytes
internal import JSON
internal import Navigation

// The functions that build the URLs of deep links.

extension AppModelReader {
    /// Reads the links in the order of the document. Of those that lead to one screen with the same
    /// captures, the one that the rules try first has a function. A link has none if the URLs that
    /// it would build are no URLs or are not those of its pattern.
    mutating func readLinks() {
        let items = model.document.object["links"].map(\.items) ?? []
        var ranks: [ExactString: [Int]] = [:]
        for (rank, link) in model.app.links.enumerated() {
            ranks[ExactString(link.pattern.text), default: []].append(rank)
        }
        var best: [[ExactString]: (rank: Int, index: Int)] = [:]
        var links: [LinkModel] = []
        for (index, item) in items.enumerated() {
            let place = "/links/\(index)/pattern"
            let link = readLink(item.object, at: place)
            let own = ranks[ExactString(link.pattern), default: []]
            if let fault = fault(of: link, own.map { model.app.links[$0] }) {
                refuse(place, code: "no-link", "has no function: \(fault)", isError: false)
                continue
            }
            let key = [ExactString(link.name)] + link.captures.map { ExactString($0.name) }
            let rank = own.first ?? .max
            if best[key].map({ rank < $0.rank }) ?? true { best[key] = (rank, links.count) }
            links.append(link)
        }
        let kept = Set(best.values.map(\.index))
        model.links = links.enumerated().filter { kept.contains($0.offset) }.map(\.element)
        guard !language.isSwift else { return }
        // Functions with the same parameters, whatever their names, cannot have one name.
        var known: Set<ExactString> = []
        for index in model.links.indices {
            let name = model.links[index].name
            var number = 1
            while !known.insert(ExactString(language.code(model.links[index].name))).inserted {
                number += 1
                model.links[index].name = name + String(number)
            }
        }
    }

    /// Why the URLs that a function would build do not open the link, if they do not.
    ///
    /// - Parameter links: those of the rules that have the pattern.
    private func fault(of link: LinkModel, _ links: [Link]) -> String? {
        for isFull in [true, false] {
            let url = link.sample(isFull: isFull)
            guard url.origin.isOriginOfURL else { return "its host is not valid in a URL" }
            guard links.contains(where: { $0.matches(url) }) else {
                return "the pattern does not match the URL that it would build"
            }
        }
        return nil
    }

    private mutating func readLink(_ link: JSONObject, at pointer: String) -> LinkModel {
        let pattern = link["pattern"]?.string ?? ""
        var uses = CaptureUses(model: model, language: language)
        let sheet = link["present"]?.object
        let path = link["path"]?.items ?? []
        let screens = path + (sheet.map { [.object($0)] + ($0["path"]?.items ?? []) } ?? [])
        for screen in screens { uses.note(screen) }
        let tabs = link["tabs"]?.items ?? [link["tab"]].compactMap { $0 }
        let ids = tabs.compactMap(\.string)
        let tab = model.tabs.first { tab in ids.contains(tab.name.key) } ?? model.tabs.first
        if let tab, let params = link["params"] {
            uses.note(params, of: model.routes[tab.root].params)
        }
        var name = tab.map { model.routes[$0.root].name.name } ?? ""
        if let target = screens.last.flatMap(uses.route) { name = target.name.name }
        if let redirect = link["redirect"]?.string {
            name = Self.name(ofRedirect: pattern)
            uses.note(redirect: redirect)
        }
        var made = LinkModel(name: name, pattern: pattern)
        for text in pattern.split(on: "#", parts: 2) {
            let halves = text.split(on: "?", parts: 2)
            // A host is compared as it is written, without escapes.
            let origin = made.parts.isEmpty ? halves[0].origin : ""
            let rest = String(Substring(halves[0].utf8.dropFirst(origin.utf8.count)))
            let front = pieces(of: origin, uses, as: .origin, in: &made)
            let path = front.followed(by: pieces(of: rest, uses, as: .path, in: &made))
            var query: [(key: String, value: LinkModel.Piece)] = []
            for item in (halves.count > 1 ? halves[1] : "").split(on: "&", parts: .max)
            where !item.isEmpty {
                let words = item.split(on: "=", parts: 2)
                let value = pieces(
                    of: words.count > 1 ? words[1] : "", uses, as: .query, in: &made)
                query.append((words[0].decoded, value.first ?? .text("")))
            }
            made.parts.append((path, query))
        }
        made.captures = made.captures.filter(\.isRequired) + made.captures.filter { !$0.isRequired }
        // TypeScript has no backticks for keywords.
        let captures = made.captures.map { capture in
            let name = language.isTypeScript ? language.code(capture.name) : capture.name
            return (name, capture.key)
        }
        claim(captures, at: pointer)
        return made
    }

    /// The parts of a path or of what is in front of it, or the value of a query item.
    private func pieces(
        of text: String, _ uses: CaptureUses, as place: PieceOfURL, in link: inout LinkModel
    ) -> [LinkModel.Piece] {
        let isQuery = place == .query
        var pieces: [LinkModel.Piece] = []
        for (index, part) in text.split(on: "{", parts: .max).enumerated() {
            let words = part.split(on: "}", parts: 2)
            let plain = index == 0 ? part : words.count > 1 ? words[1] : ""
            if index > 0 {
                let mark = words[0].utf8.last
                let isMarked = mark == UInt8(ascii: "*") || mark == UInt8(ascii: "?")
                let name = isMarked ? String(words[0].dropLast()) : words[0]
                let isRequired = !isQuery || (uses.needed.contains(ExactString(name)) && !isMarked)
                let isRest = isMarked && !isQuery
                let capture = MemberModel(
                    name: memberName(name), key: name,
                    type: isRest ? .string : uses.type(of: name, inQuery: isQuery),
                    isRequired: isRequired)
                link.captures.append(capture)
                pieces.append(.capture(capture, isRest: isRest))
            }
            if !plain.isEmpty { pieces.append(.text(plain.written(in: place))) }
        }
        return pieces
    }

    /// The first literal text of the pattern of a redirect, behind the scheme and a web host.
    private static func name(ofRedirect pattern: String) -> String {
        let address = pattern.split(on: "#", parts: 2)[0].split(on: "?", parts: 2)[0]
        let isWeb = pattern.hasPrefix("http:") || pattern.hasPrefix("https:")
        let words = address.split(on: ":", parts: 2).last?.split(separator: "/") ?? []
        let literal = words.dropFirst(isWeb ? 1 : 0)
            .first { !$0.utf8.contains(UInt8(ascii: "{")) }
        return literal.map { String($0) }?.identifier ?? "redirect"
    }
}

/// The params that the captures of a link fill.
private struct CaptureUses {
    let model: AppModel
    let language: GeneratedLanguage
    private var types: [ExactString: ValueType] = [:]
    private(set) var needed: Set<ExactString> = []

    init(model: AppModel, language: GeneratedLanguage) {
        (self.model, self.language) = (model, language)
    }

    func route(_ screen: JSON) -> RouteModel? {
        (screen.string ?? screen.object["route"]?.string).flatMap { model.route($0) }
    }

    mutating func note(_ screen: JSON) {
        guard let route = route(screen), let params = screen.object["params"] else { return }
        note(params, of: route.params)
    }

    mutating func note(_ params: JSON, of members: [MemberModel]) {
        for param in params.object.members {
            guard let member = members.first(where: { $0.key == param.key }) else { continue }
            note(
                param.value, as: member.type, isNeeded: member.isRequired && member.fallback == nil)
        }
    }

    private mutating func note(_ value: JSON, as type: ValueType, isNeeded: Bool) {
        if case .named(let name) = type.present, let form = model.type(name) {
            switch form {
            case .alias(let type): return note(value, as: type, isNeeded: isNeeded)
            case .record(let members): return note(value, of: members)
            case .choice: break
            }
        }
        switch value {
        case .array(let items):
            guard case .list(let type) = type.present else { return }
            for item in items { note(item, as: type, isNeeded: false) }
        case .string(let text):
            let names = text.split(on: "{", parts: .max).dropFirst().map {
                $0.split(on: "}", parts: 2)[0]
            }
            let isWhole = names.count == 1 && text.utf8.count == names[0].utf8.count + 2
            for name in names.map({ ExactString($0) }) {
                if isNeeded { needed.insert(name) }
                let type = isWhole ? type.present : .string
                types[name] = types[name].map { $0 == type ? type : .string } ?? type
            }
        case .null, .bool, .integer, .double, .object: break
        }
    }

    mutating func note(redirect: String) {
        let path = redirect.split(on: "?", parts: 2)[0]
        for part in path.split(on: "{", parts: .max).dropFirst() {
            needed.insert(ExactString(part.split(on: "}", parts: 2)[0]))
        }
    }

    /// The type of a capture: that of the param that it fills if a URL can have its values. A query
    /// can have several for a list.
    func type(of name: String, inQuery: Bool) -> ValueType {
        let type = model.whole(types[ExactString(name)] ?? .string)
        if inQuery, case .list(let item) = type { return .list(inURL(model.whole(item))) }
        return inURL(type)
    }

    private func inURL(_ type: ValueType) -> ValueType {
        switch type {
        case .string, .integer, .number, .boolean: type
        // In Kotlin a constant does not know its name in the document.
        case .named: language.isKotlin || model.choices(type) == nil ? .string : type
        case .list, .map, .optional, .union, .any: .string
        }
    }
}

extension AppModel {
    func route(_ key: String) -> RouteModel? {
        routeIndexes[ExactString(key)].map { routes[$0] }
    }
}

extension String {
    /// The parts of the text between the occurrences of a character, at most so many.
    fileprivate func split(on character: Unicode.Scalar, parts: Int) -> [String] {
        unicodeScalars.split(
            separator: character, maxSplits: parts - 1, omittingEmptySubsequences: false
        ).map { String($0) }
    }

    /// The text without percent escapes.
    fileprivate var decoded: String {
        PercentCoding.decode(Array(utf8)[...], plusIsSpace: true, allowsControls: true) ?? self
    }

    /// The text of a pattern as the generated code has it.
    fileprivate func written(in place: PieceOfURL) -> String {
        switch place {
        case .origin: self
        case .path:
            unicodeScalars.map { scalar in
                let isAllowed = scalar.isASCII && "!$&'()*+,;=:@/?%".unicodeScalars.contains(scalar)
                return isAllowed ? String(scalar) : PercentCoding.encode(String(scalar))
            }.joined()
        case .query: decoded
        }
    }
}
