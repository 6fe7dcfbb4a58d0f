import JSON

/// Patterns of stories: see `docs/conformance/README.md`.
extension JSON {
    /// Throws if a value does not fit this pattern.
    func check(_ value: JSON, at place: String = "") throws {
        switch self {
        case .object(let object):
            if object.count == 1, let member = object.members.first,
                member.key.hasPrefix("$"), member.key != "$defs"
            {
                guard try member.value.isMet(by: value, member.key) else {
                    throw StoryFailure("\(place): \(value.text) is not \(text)")
                }
                return
            }
            guard value.memberList != nil else { throw StoryFailure("\(place): no object") }
            for member in object.members {
                let (part, inner) = (value[member.key], "\(place)/\(member.key)")
                if member.value["$absent"] != nil {
                    if let part { throw StoryFailure("\(inner) is \(part.text)") }
                } else if let part {
                    try member.value.check(part, at: inner)
                } else {
                    throw StoryFailure("\(inner) is missing in \(value.text)")
                }
            }
        case .array(let items):
            guard case .array(let values) = value, values.count == items.count else {
                throw StoryFailure("\(place) is \(value.text), not \(text)")
            }
            for (index, item) in items.enumerated() {
                try item.check(values[index], at: "\(place)/\(index)")
            }
        case .null, .bool, .integer, .double, .string:
            guard isSame(as: value) else {
                throw StoryFailure("\(place) is \(value.text), not \(text)")
            }
        }
    }

    private func isMet(by value: JSON, _ name: String) throws -> Bool {
        switch name {
        case "$exactly": isSame(as: value)
        case "$text":
            try value.string?.contains(Regex(string ?? "").dotMatchesNewlines()) == true
        case "$any": value.hasType(self)
        case "$length":
            integer == (value.memberList?.count ?? value.string?.count ?? value.array.count)
        case "$keys": array.map(\.string) == value.memberList?.map(\.key)
        case "$least": (value.number ?? -.infinity) >= (number ?? .infinity)
        case "$among": array.contains { $0.fits(value) }
        case "$all": array.allSatisfy { $0.fits(value) }
        case "$not": !fits(value)
        case "$has": array.allSatisfy { part in value.array.contains { part.fits($0) } }
        case "$each": value.array.allSatisfy { fits($0) }
        default: throw StoryFailure("\(name) is no pattern")
        }
    }

    private func fits(_ value: JSON) -> Bool { (try? check(value)) != nil }

    private func hasType(_ type: JSON) -> Bool {
        switch (self, type.string) {
        case (.string, "string"), (.integer, "integer"), (.bool, "boolean"), (.object, "object"),
            (.array, "array"), (.integer, "number"), (.double, "number"):
            true
        default: type == .bool(true)
        }
    }

    /// Equality in which 1 and 1.0 differ, and the order of memberList does not count.
    private func isSame(as other: JSON) -> Bool {
        switch (self, other) {
        case (.integer, .double), (.double, .integer): false
        case (.array(let a), .array(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.object(let a), .object(let b)):
            a.count == b.count
                && a.members.allSatisfy { b[$0.key].map($0.value.isSame) ?? false }
        default: self == other
        }
    }

    var memberList: [JSONObject.Member]? {
        if case .object(let object) = self { object.members } else { nil }
    }

    private var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The value that a JSON pointer leads to.
    func value(at pointer: String) -> JSON? {
        var value = self
        for part in pointer.split(separator: "/") {
            let name = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
            guard let inner = Int(name).flatMap({ value[$0] }) ?? value[name] else { return nil }
            value = inner
        }
        return value
    }

    /// The session as a line of text.
    var storyPicture: String {
        func screen(_ entry: JSON) -> String {
            let params = entry["params"].flatMap { $0.memberList?.isEmpty == false ? $0.text : nil }
            let mark = entry["mark"]?.string.map { "@\($0)" } ?? ""
            return "\(entry["route"]?.string ?? "")\(params ?? "")\(mark)"
        }
        let tabs = (self["tabs"]?.array ?? []).map { tab in
            let star = tab["id"] == self["selectedTab"] ? "*" : ""
            let badge = tab["badge"].map { "#\($0.string ?? $0.text)" } ?? ""
            let screens = (tab["path"]?.array ?? []).map { "/" + screen($0) }.joined()
            let text = "\(star)\(tab["id"]?.string ?? "")\(badge)\(screens)"
            return tab["hidden"] == .bool(true) ? "(\(text))" : text
        }
        let sheets = (self["sheets"]?.array ?? []).map { sheet in
            let cover = sheet["style"] == .string("fullScreenCover") ? "cover:" : ""
            return cover
                + ([sheet] + (sheet["path"]?.array ?? [])).map(screen)
                .joined(separator: "/")
        }
        let left = tabs.joined(separator: " ")
        return sheets.isEmpty ? left : "\(left) | \(sheets.joined(separator: " "))"
    }
}
