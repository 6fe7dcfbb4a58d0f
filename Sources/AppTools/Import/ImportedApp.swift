internal import Bytes
internal import JSON
internal import Navigation

/// The document of an app while it is made from another file.
struct ImportedApp {
    let id: AppID
    var tabs: [JSONObject] = []
    var notFound: JSONObject?
    /// Members of the document that only keep what was not understood.
    private(set) var kept = JSONObject()
    private(set) var notes: [AppImport.Note] = []
    private(set) var links: [ImportedLink] = []
    private var lost: [JSON] = []
    /// The patterns of the links, each with the values that its link takes.
    private var patterns: Set<ExactString> = []
    private var routes: [(name: String, body: JSONObject)] = []
    /// The indices of the routes by name.
    private var places: [ExactString: Int] = [:]
    /// The number of the next route of the same name.
    private var numbers: [ExactString: Int] = [:]

    init(id: AppID) { self.id = id }

    /// A note for each place is enough for a person, who reads them all.
    private static let notesMax = 500

    mutating func note(_ pointer: JSONPointer, _ text: String) {
        let note = AppImport.Note(pointer: pointer.description, text: text)
        guard notes.count < Self.notesMax, !notes.contains(note) else { return }
        notes.append(note)
    }

    /// Keeps a member of the file that has no meaning here, beside what it belongs to.
    ///
    /// - Returns: the member with its name as a note.
    mutating func keep(
        _ member: JSONObject.Member, at pointer: JSONPointer
    ) -> (name: String, value: JSON) {
        let name = member.isExtension ? member.key : "x-\(member.key)"
        note(pointer.appending(member.key), "has no meaning here, and is kept as \(name)")
        return (name, member.value)
    }

    /// Keeps a member at the top of the document.
    mutating func keepAtTop(_ name: String, _ value: JSON) {
        if !kept.contains(name) { kept.append(name, value) }
    }

    /// Keeps something that has no place in the document.
    mutating func addLost(_ value: JSON) { lost.append(value) }

    // MARK: - Routes and links

    /// Adds a route.
    ///
    /// - Parameter wanted: its name, if that is valid and not in use already.
    /// - Returns: the name of the route.
    mutating func addRoute(_ wanted: String, _ body: JSONObject = JSONObject()) -> String {
        let base = Self.name(from: wanted) ?? "screen"
        var name = base
        while places[ExactString(name)] != nil {
            let number = numbers[ExactString(base)] ?? 2
            numbers[ExactString(base)] = number + 1
            name = "\(base)\(number)"
        }
        places[ExactString(name)] = routes.count
        routes.append((name, body))
        return name
    }

    /// Adds a member to a route.
    mutating func add(_ member: String, _ value: JSON, toRoute name: String) {
        guard let index = places[ExactString(name)], !routes[index].body.contains(member)
        else { return }
        routes[index].body.append(member, value)
    }

    /// The names of the routes in their order.
    var routeNames: [String] { routes.map(\.name) }

    /// Adds a link, unless there is one with the same pattern that takes the same values or all.
    mutating func addLink(_ link: ImportedLink) {
        let checked = link.params.filter { $0.isChecked && link.pattern.contains("{\($0.name)") }
        let checks = checked.map { JSON.object($0.schema).text }
        guard !patterns.contains(ExactString(link.pattern)),
            patterns.insert(ExactString(link.pattern + checks.joined())).inserted
        else { return }
        links.append(link)
    }

    /// A name of a route or a tab: camel case, of the words in a text. Nil without a letter or a
    /// digit.
    static func name(from text: String) -> String? {
        if RouteName(text) != nil { return text }
        var name = ""
        for word in words(of: text) {
            let first = String(word.unicodeScalars.prefix(1))
            name +=
                (name.isEmpty ? first.lowercased() : first.uppercased())
                + String(word.unicodeScalars.dropFirst())
        }
        let short = String(name.unicodeScalars.prefix(48))
        return RouteName(short) == nil ? nil : short
    }

    /// The letters and digits of a text, divided by everything else.
    static func words(of text: String) -> [String] {
        text.unicodeScalars.split { !isWordScalar($0) }.map { String($0) }
    }

    private static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
    }

    // MARK: - The document

    var json: JSON {
        var object: JSONObject = ["id": .string(id.rawValue)]
        for member in kept.members { object.append(member.key, member.value) }
        if !lost.isEmpty { object.append("x-lost", .array(lost)) }
        object.append("routes", .object(JSONObject(routes.map { ($0.name, .object($0.body)) })))
        object.append("tabs", .array(tabs.map { .object($0) }))
        object.append("links", .array(links.map { .object($0.json) }))
        if let notFound { object.append("notFound", .object(notFound)) }
        return .object(object)
    }

    /// Leaves out the links that a server would refuse, for example with more captures in a
    /// segment than a pattern may have, so that the rest can be stored.
    mutating func leaveOutRefused() throws(ImportError) {
        if links.count > Self.linksMax {
            note(
                links[Self.linksMax].source,
                "is left out, like all after it: an app has at most \(Self.linksMax) links")
            links.removeLast(links.count - Self.linksMax)
        }
        while true {
            let report = self.report
            guard let fault = report.errors.first else { return }
            var refused: [Int: String] = [:]
            for fault in report.errors {
                guard let index = Self.link(at: fault.pointer), refused[index] == nil
                else { continue }
                refused[index] = fault.detail
            }
            guard !refused.isEmpty else {
                throw ImportError(detail: "cannot be expressed: \(fault.pointer) \(fault.detail)")
            }
            for (index, detail) in refused.sorted(by: { $0.key > $1.key }) {
                let link = links.remove(at: index)
                note(link.source, "is left out: its pattern \(link.pattern) \(detail)")
            }
        }
    }

    /// The report of a server about the document.
    var report: AppReport {
        let work = WorkBudget(units: WorkBudget.unitsMaxOfApp)
        do throws(WorkBudgetError) {
            return try AppReader.read(json, id: id, limits: Limits(), work: work)
        } catch {
            let fault = InputFault(pointer: "", detail: "is too large")
            return AppReport(app: nil, errors: [fault], warnings: [])
        }
    }

    /// The ranks of patterns: the lower one is tried first.
    var ranks: [ExactString: Int] {
        var ranks: [ExactString: Int] = [:]
        for (rank, link) in (report.app?.links ?? []).enumerated() {
            let text = ExactString(link.pattern.text)
            if ranks[text] == nil { ranks[text] = rank }
        }
        return ranks
    }

    private static let linksMax = 1000

    private static func link(at pointer: String) -> Int? {
        let steps = JSONPointer(pointer)?.steps ?? []
        return steps.count > 1 && steps[0] == "links" ? Int(steps[1]) : nil
    }
}

/// A link of an app that is made from another file.
struct ImportedLink {
    var pattern: String
    /// The other members.
    var body: JSONObject
    /// The place in the file.
    var source: JSONPointer
    /// The params of its route. Values that do not fit are left to links of the same pattern.
    var params: [ImportedParam] = []

    var json: JSONObject {
        var object: JSONObject = ["pattern": .string(pattern)]
        for member in body.members { object.append(member.key, member.value) }
        return object
    }
}

/// A param of a route that a link fills.
struct ImportedParam {
    var name: String
    var schema: JSONObject
    var isRequired: Bool

    /// Whether there are texts that it does not take.
    var isChecked: Bool { schema != URLPiece.text }

    /// The params of a route that several paths fill. One is required if all paths have it; none is
    /// for the root of a tab, which is there without a link.
    static func joined(_ lists: [[ImportedParam]], isRoot: Bool) -> [ImportedParam] {
        var joined: [ImportedParam] = []
        for param in lists.flatMap({ $0 })
        where !joined.contains(where: { $0.name == param.name }) {
            var param = param
            param.isRequired =
                !isRoot
                && lists.allSatisfy { list in
                    list.contains { $0.name == param.name && $0.isRequired }
                }
            joined.append(param)
        }
        return joined
    }

    /// The schema of params.
    static func schema(_ params: [ImportedParam]) -> JSON? {
        guard !params.isEmpty else { return nil }
        let required = params.filter(\.isRequired).map { JSON.string($0.name) }
        return .object([
            "type": .string("object"), "required": required.isEmpty ? nil : .array(required),
            "additionalProperties": .bool(false),
            "properties": .object(JSONObject(params.map { ($0.name, .object($0.schema)) })),
        ])
    }

    /// A screen with the params that the pattern captures, as an item of a path.
    static func screen(_ route: String, _ names: [String]) -> JSON {
        names.isEmpty
            ? .string(route)
            : .object(["route": .string(route), "params": .object(captures(names))])
    }

    /// Params that are captures of the same names.
    static func captures(_ names: [String]) -> JSONObject {
        JSONObject(names.map { ($0, JSON.string("{\($0)}")) })
    }
}
