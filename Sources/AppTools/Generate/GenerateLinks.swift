internal import Bytes
internal import JSON
internal import Navigation

// The functions that build the URLs of deep links.

extension AppModelReader {
    /// Reads the links in the order of the document. Of those that lead to one screen with the same
    /// captures, the one that the rules try first has a function.
    mutating func readLinks() {
        let items = model.document.object["links"].map(\.items) ?? []
        var ranks: [ExactString: Int] = [:]
        for (rank, link) in model.app.links.enumerated() {
            let pattern = ExactString(link.pattern.text)
            if ranks[pattern] == nil { ranks[pattern] = rank }
        }
        var best: [[ExactString]: (rank: Int, index: Int)] = [:]
        var links: [LinkModel] = []
        for (index, item) in items.enumerated() {
            let link = readLink(item.object, at: "/links/\(index)/pattern")
            let rank = ranks[ExactString(link.pattern)] ?? .max
            let key = [ExactString(link.name)] + link.captures.map { ExactString($0.key) }
            if best[key].map({ rank < $0.rank }) ?? true { best[key] = (rank, index) }
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
            let path = pieces(of: halves[0], uses, isQuery: false, in: &made)
            var query: [(key: String, value: LinkModel.Piece)] = []
            for item in (halves.count > 1 ? halves[1] : "").split(separator: "&") {
                let words = String(item).split(on: "=", parts: 2)
                let value = pieces(
                    of: words.count > 1 ? words[1] : "", uses, isQuery: true, in: &made)
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

    /// The parts of a path, or the value of a query item.
    private func pieces(
        of text: String, _ uses: CaptureUses, isQuery: Bool, in link: inout LinkModel
    ) -> [LinkModel.Piece] {
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
            if !plain.isEmpty { pieces.append(.text(isQuery ? plain.decoded : plain.inURL)) }
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
    fileprivate func split(on character: Character, parts: Int) -> [String] {
        split(separator: character, maxSplits: parts - 1, omittingEmptySubsequences: false)
            .map { String($0) }
    }

    /// The text without percent escapes.
    fileprivate var decoded: String {
        PercentCoding.decode(Array(utf8)[...], plusIsSpace: true, allowsControls: true) ?? self
    }

    /// The text of a pattern as a URL has it.
    fileprivate var inURL: String {
        unicodeScalars.map { scalar in
            let isAllowed = scalar.isASCII && "!$&'()*+,;=:@/?#%".unicodeScalars.contains(scalar)
            return isAllowed ? String(scalar) : PercentCoding.encode(String(scalar))
        }.joined()
    }
}
