internal import Bytes
public import JSON

extension Command {
    /// Reads a command from the body of a request.
    ///
    /// - Parameter body: an object, which was checked.
    /// - Throws: `invalidRequest` with all faults of the body's form; `inBatch` for a command of a
    ///   batch.
    public init(
        _ name: CommandName, body: CompactObject, limits: Limits, work: WorkBudget
    ) throws(RejectionError) {
        if body.isIndexed {
            var reader = ObjectReader(body, work: work)
            if let command = Self.readSingle(name, from: &reader, limits: limits), reader.isRight {
                self = command
                return
            }
        }
        let object = Params(trusted: body.text[...]).object
        try self.init(name, body: object, limits: limits, work: work)
    }

    /// Reads a command from the value of a body.
    public init(
        _ name: CommandName, body: JSONObject, limits: Limits, work: WorkBudget
    ) throws(RejectionError) {
        var reader = ObjectReader(body, at: "", work: work)
        self = try Self.read(name, from: &reader, limits: limits)
    }

    /// Reads a command from an object that also has its name, as the member `command`.
    ///
    /// - Parameter unnamed: commands that the caller refuses, which an error does not offer.
    static func named(
        _ object: JSONObject, at pointer: String, limits: Limits, work: WorkBudget,
        unnamed: [CommandName] = []
    ) throws(RejectionError) -> (CommandName, Command) {
        var reader = ObjectReader(object, at: pointer, work: work)
        guard let name = reader.commandName(unnamed: unnamed) else {
            throw .invalidRequest(reader.faults)
        }
        return (name, try read(name, from: &reader, limits: limits))
    }

    /// Reads all members before throwing, so that one error reports all faults.
    private static func read(
        _ name: CommandName, from reader: inout ObjectReader, limits: Limits
    ) throws(RejectionError) -> Command {
        if name == .batch { return .batch(try readBatch(from: &reader, limits: limits)) }
        let command = readSingle(name, from: &reader, limits: limits)
        reader.refuseUnknown()
        guard let command, reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
        return command
    }

    private static func readSingle(
        _ name: CommandName, from reader: inout ObjectReader, limits: Limits
    ) -> Command? {
        switch name {
        case .navigate: Navigate(&reader).map(Command.navigate)
        case .back: back(&reader)
        case .root: .root(Root(&reader))
        case .present: Present(&reader).map(Command.present)
        case .dismiss: .dismiss(Dismiss(&reader))
        case .select: Select(&reader).map(Command.select)
        case .open: Open(&reader).map(Command.open)
        case .setPath: SetPath(&reader).map(Command.setPath)
        case .setParams: SetParams(&reader).map(Command.setParams)
        case .setBadge: SetBadge(&reader, limits).map(Command.setBadge)
        case .setTabs: .setTabs(SetTabs(&reader))
        case .setFacts: reader.requiredObject("facts").map { .setFacts(SetFacts(facts: $0)) }
        case .undo: .undo(count: reader.integer("count", in: 1...Int.max) ?? 1)
        case .redo: .redo(count: reader.integer("count", in: 1...Int.max) ?? 1)
        case .batch: nil
        }
    }

    private static func back(_ reader: inout ObjectReader) -> Command? {
        // It is read in any case, so that it is not taken for unknown.
        let force = reader.flag("force", default: false)
        return Back(&reader).map { .back($0, force: force) }
    }

    // MARK: - Batches

    private static func readBatch(
        from reader: inout ObjectReader, limits: Limits
    ) throws(RejectionError) -> [Command] {
        let items = reader.requiredArray("commands") ?? []
        if reader.faults.isEmpty, !(1...limits.batchCommandsMax).contains(items.count) {
            reader.refuse(
                "commands", "must have 1 to \(limits.batchCommandsMax) commands",
                isLimit: !items.isEmpty)
        }
        reader.refuseUnknown()
        guard reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
        var commands: [Command] = []
        for (index, item) in items.enumerated() {
            do {
                let pointer = "\(reader.pointer)/commands/\(index)"
                commands.append(
                    try Command(item: item, at: pointer, limits: limits, work: reader.work))
            } catch {
                throw .inBatch(index: index, error)
            }
        }
        return commands
    }

    /// Reads a command from an object that names it, such as an item of a batch.
    ///
    /// - Parameter pointer: the pointer to the object.
    public init(
        item: JSON, at pointer: String, limits: Limits, work: WorkBudget
    ) throws(RejectionError) {
        guard case .object(let object) = item else {
            throw .invalidRequest([InputFault(pointer: pointer, detail: "must be an object")])
        }
        var reader = ObjectReader(object, at: pointer, work: work)
        guard let name = reader.commandName(unnamed: CommandName.aloneOnly) else {
            throw .invalidRequest(reader.faults)
        }
        if CommandName.aloneOnly.contains(name) {
            reader.refuse("command", "must not be batch, undo or redo in a batch")
            throw .invalidRequest(reader.faults)
        }
        self = try Self.read(name, from: &reader, limits: limits)
    }
}

extension ObjectReader {
    /// - Parameter unnamed: the commands that the error message does not offer.
    fileprivate mutating func commandName(unnamed: [CommandName]) -> CommandName? {
        required("command") == nil ? nil : choice("command", unnamed: unnamed)
    }
}

// MARK: - The commands' own members

extension Clearing {
    fileprivate init(_ reader: inout ObjectReader) {
        self.init(
            sheets: reader.choice("sheets"), force: reader.flag("force", default: false))
    }
}

extension Root {
    fileprivate init(_ reader: inout ObjectReader) {
        self.init(scope: reader.choice("scope") ?? .tab)
        clearing = Clearing(&reader)
    }
}

extension Navigate {
    fileprivate init?(_ reader: inout ObjectReader) {
        let route: RouteName? = reader.requiredName("route")
        params = reader.params("params") ?? .empty
        target = Target(reader.text("in") ?? "active")
        mark = reader.name("mark")
        mode = reader.choice("mode")
        isLocked = reader.flag("locked")
        selects = reader.flag("select", default: true)
        clearing = Clearing(&reader)
        guard let route else { return nil }
        self.route = route
    }
}

extension Target {
    fileprivate init(_ text: String) {
        self = text == "active" ? .active : .named(text)
    }
}

extension Back {
    fileprivate init?(_ reader: inout ObjectReader) {
        let count = reader.integer("count", in: 1...Int.max)
        let asksForSteps = reader.value("count") != nil
        let to = reader.object("to")
        let inclusive = reader.flag("inclusive", default: false)
        let within = reader.choice("within") ?? Within.any
        guard let to else {
            if inclusive { reader.refuse("inclusive", "is only allowed together with to") }
            self = .steps(count ?? 1, within: within)
            return
        }
        if asksForSteps { reader.refuse("count", "cannot be combined with to") }
        guard let goal = Self.goal(to, &reader) else { return nil }
        self = .to(goal, inclusive: inclusive, within: within)
    }

    private static func goal(_ to: JSONObject, _ reader: inout ObjectReader) -> Goal? {
        var inner = ObjectReader(to, at: reader.pointer + "/to", work: reader.work)
        defer { reader.adopt(inner) }
        let entry = inner.text("entry")
        let route: RouteName? = inner.name("route")
        let mark: MarkName? = inner.name("mark")
        inner.refuseUnknown()
        guard to.count == 1 || !inner.faults.isEmpty else {
            inner.refuse(at: "", "must name either an entry, a route or a mark")
            return nil
        }
        return entry.map(Goal.entry) ?? route.map(Goal.route) ?? mark.map(Goal.mark)
    }
}

extension PathItem {
    fileprivate init?(_ reader: inout ObjectReader, ids: Bool) {
        let route: RouteName? = reader.requiredName("route")
        params = reader.params("params") ?? .empty
        mark = reader.name("mark")
        id = ids ? reader.text("id") : nil
        isLocked = ids ? reader.flag("locked") : nil
        reader.refuseUnknown()
        guard let route else { return nil }
        self.route = route
    }
}

extension Present {
    fileprivate init?(_ reader: inout ObjectReader) {
        style = reader.choice("style")
        // The route of a dialog that names none has the name of the style.
        let dialogRoute = style.flatMap { $0.isDialog ? RouteName(trusted: $0.rawValue) : nil }
        let route: RouteName? =
            dialogRoute == nil
            ? reader.requiredName("route") : (reader.name("route") ?? dialogRoute)
        params = reader.params("params") ?? .empty
        mark = reader.name("mark")
        tag = reader.exactText("tag", bytes: 1...Limits.tagBytesMax)
        detents = reader.detents()
        dismissible = reader.flag("dismissible")
        ttlSeconds = reader.integer("ttlSeconds", in: 1...Limits.sheetSecondsMax)
        path = reader.array("path").map { items in
            reader.objects("path", of: items) { PathItem(&$0, ids: false) }
        }
        anchor = reader.name("anchor")
        dialog = DialogTexts(&reader)
        force = reader.flag("force", default: false)
        guard let route else { return nil }
        self.route = route
    }
}

extension Dismiss {
    fileprivate init(_ reader: inout ObjectReader) {
        let sheet = reader.text("sheet")
        let tag = reader.text("tag").map { ExactString($0) }
        let all = reader.flag("all", default: false)
        force = reader.flag("force", default: false)
        result = reader.value("result")
        button = reader.text("button")
        if all, button != nil { reader.refuse("button", "cannot be combined with all") }
        if [sheet != nil, tag != nil, all].count(where: { $0 }) > 1 {
            reader.refuse(at: "", "must have at most one of sheet, tag and all")
        }
        which = sheet.map(Which.sheet) ?? tag.map(Which.tag) ?? (all ? .all : .top)
    }
}

extension Select {
    fileprivate init?(_ reader: inout ObjectReader) {
        let tab = reader.requiredText("tab")
        reselect = reader.choice("reselect") ?? .popToRoot
        params = reader.params("params")
        mark = reader.name("mark")
        toRoot = reader.flag("root", default: false)
        clearing = Clearing(&reader)
        guard let tab else { return nil }
        self.tab = tab
    }
}

extension Open {
    fileprivate init?(_ reader: inout ObjectReader) {
        let url = reader.requiredText("url")
        mode = reader.choice("mode")
        tab = reader.text("tab")
        clearing = Clearing(&reader)
        guard let url else { return nil }
        self.url = url
    }
}

extension SetPath {
    fileprivate init?(_ reader: inout ObjectReader) {
        let target = reader.requiredText("in")
        path = reader.objects("path", of: reader.requiredArray("path") ?? []) {
            PathItem(&$0, ids: true)
        }
        clearing = Clearing(&reader)
        guard let target else { return nil }
        self.target = Target(target)
    }
}

extension SetTabs {
    fileprivate init(_ reader: inout ObjectReader) {
        order = Self.ids("order", &reader)
        hidden = Self.ids("hidden", &reader)
    }

    private static func ids(_ name: String, _ reader: inout ObjectReader) -> [String]? {
        guard let items = reader.array(name) else { return nil }
        var ids: [String] = []
        for (index, item) in items.enumerated() {
            if case .string(let id) = item {
                ids.append(id)
            } else {
                reader.refuse(at: "/\(name)/\(index)", "must be the id of a tab")
            }
        }
        return ids
    }
}

extension SetParams {
    fileprivate init?(_ reader: inout ObjectReader) {
        let entry = reader.text("entry")
        isLocked = reader.flag("locked")
        params = isLocked == nil ? reader.requiredObject("params") : reader.object("params")
        mode = reader.choice("mode") ?? .merge
        guard params != nil || isLocked != nil else { return nil }
        self.entry = entry.flatMap { $0 == "visible" ? nil : $0 }
    }
}

extension SetBadge {
    fileprivate init?(_ reader: inout ObjectReader, _ limits: Limits) {
        let tab = reader.requiredText("tab")
        guard let value = reader.required("badge") else { return nil }
        switch Badge.read(value, limits) {
        case .some(let badge): self.badge = badge
        case .none:
            reader.refuse(
                "badge", Badge.rule(limits),
                isLimit: value.isText(longerThan: limits.badgeBytesMax))
            return nil
        }
        guard let tab else { return nil }
        self.tab = tab
    }
}

extension Badge {
    /// The rule for the value of a badge, for error messages.
    static func rule(_ limits: Limits) -> String {
        "must be a non-negative integer, null or a string of 1 to \(limits.badgeBytesMax) bytes"
    }

    /// Reads a badge. Returns `.some(nil)` for a value that removes it, and nil for an invalid
    /// value.
    static func read(_ value: JSON, _ limits: Limits) -> Badge?? {
        switch value {
        case .null: return .some(nil)
        case .string(let text):
            guard (1...limits.badgeBytesMax).contains(text.utf8.count) else { return nil }
            return .some(.text(ExactString(text)))
        case .integer, .double:
            guard let count = value.wholeNumber, count >= 0 else { return nil }
            return .some(count == 0 ? nil : .count(count))
        case .bool, .array, .object: return nil
        }
    }
}
