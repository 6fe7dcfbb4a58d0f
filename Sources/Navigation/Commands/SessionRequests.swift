internal import Bytes
public import JSON

/// The body of a creation:
/// `{id?, app?, tabs?, selectedTab?, tabBack?, facts?, template?, url?, ttlSeconds?, idle?,
/// labels?}`, or of a copy: `{id?, copyOf, revision?, ttlSeconds?, idle?, labels?}`.
public struct CreateSession {
    /// The id that the client chose, if it did; otherwise the service chooses one.
    public var id: SessionID?
    /// The app to bind the session to, or nil for a free-form session.
    public var app: AppID?
    /// The tabs of a free-form session, or nil for one tab named `main`.
    public var tabs: [TabID]?
    /// The tab to select, or nil for the first one.
    public var selectedTab: String?
    /// The template of the app to begin with, if any.
    public var template: TemplateName?
    /// The deep link at which the session begins, if any.
    public var url: String?
    /// The session to begin with, or nil to begin with a new state.
    public var copied: CopiedSession?
    /// Values of facts that are not to begin with their defaults.
    public var facts: JSONObject
    /// The labels and the time to live.
    public var settings: SessionSettings
    private let work: WorkBudget

    public init(_ body: JSONObject, limits: Limits, work: WorkBudget) throws(RejectionError) {
        var reader = ObjectReader(body, at: "", work: work)
        self.work = work
        id = reader.name("id")
        app = reader.name("app")
        tabs = reader.tabs(limits)
        if app != nil, tabs != nil {
            reader.refuse("tabs", "cannot be combined with app, which declares the tabs")
        }
        selectedTab = reader.text("selectedTab")
        template = reader.name("template")
        url = reader.text("url")
        copied = reader.copied(body)
        if url != nil, app == nil, body["copyOf"] == nil {
            reader.refuse("url", "needs an app, which declares the links")
        }
        if url != nil, body["template"] != nil {
            reader.refuse("url", "cannot be combined with template")
        }
        if body["template"] != nil, body["app"] == nil, body["copyOf"] == nil {
            reader.refuse("template", "needs an app, which declares the templates")
        }
        let tabBack: TabBack? = reader.choice("tabBack")
        if app != nil, tabBack != nil {
            reader.refuse("tabBack", "cannot be combined with app, which declares it")
        }
        settings = SessionSettings(
            labels: reader.labels(limits) ?? [], ttlSeconds: reader.ttl(),
            tabBack: tabBack ?? .stay, idle: reader.idle(limits))
        facts = reader.object("facts") ?? JSONObject()
        reader.refuseUnknown()
        guard reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
    }

    /// Makes the new session.
    ///
    /// - Parameter id: the id to use if the body has none.
    /// - Throws: `tabNotFound` if the tab to select does not exist, `guarded` if its guard fails,
    ///   and the reason why a fact is refused.
    public func session(
        id fresh: SessionID, app: App?, at: Milliseconds
    ) throws(RejectionError) -> Session {
        let tabs = self.tabs ?? [TabID(trusted: "main")]
        var state = app?.freshState ?? NavigationState(tabs: tabs.map { Tab(id: $0) })
        let facts = try facts(of: app)
        if app?.guards.isEmpty == false { state.selected = state.firstTab(app, facts) }
        if let selectedTab {
            guard let index = state.tabIndex(named: selectedTab) else {
                throw .tabNotFound(selectedTab, known: state.tabs.map { $0.id })
            }
            let guards = app?.guards.ofTabs[state.tabs[index].id]
            if let failing = guards?.firstFailing(facts) { throw failing.refusal(facts) }
            state.selected = index
        }
        var session = Session(
            id: id ?? fresh, app: self.app, settings: settings, at: at, state: state)
        session.facts = facts
        return session
    }

    private func facts(of app: App?) throws(RejectionError) -> Facts {
        let fallback = app?.defaultFacts ?? .none
        guard !facts.isEmpty else { return fallback }
        return try fallback.setting(facts, of: app, at: "/facts", work: work) ?? fallback
    }
}

extension ObjectReader {
    fileprivate mutating func tabs(_ limits: Limits) -> [TabID]? {
        guard let items = array("tabs") else { return nil }
        guard (1...limits.tabsMax).contains(items.count) else {
            refuse(
                "tabs", "must have 1 to \(limits.tabsMax) names", isLimit: !items.isEmpty)
            return nil
        }
        var tabs: [TabID] = []
        for (index, item) in items.enumerated() {
            guard case .string(let text) = item, let id = TabID(text) else {
                refuse(at: "/tabs/\(index)", nameRule(TabID.self))
                continue
            }
            if tabs.contains(id) { refuse(at: "/tabs/\(index)", "repeats the tab \(id)") }
            tabs.append(id)
        }
        return tabs
    }

    mutating func ttl() -> Int? { integer("ttlSeconds", in: 1...Limits.ttlSecondsMax) }

    mutating func labels(_ limits: Limits) -> [Label]? {
        guard let object = object("labels") else { return nil }
        var labels: [Label] = []
        for member in object.members {
            let label = label(member.key, member.value, limits: limits)
            if let label { labels.append(label) }
        }
        if labels.count > limits.labelsMax {
            refuse(
                "labels", "must have at most \(limits.labelsMax) members", isLimit: true)
        }
        return labels
    }

    fileprivate mutating func label(_ key: String, _ value: JSON, limits: Limits) -> Label? {
        let pointer = "/labels/" + JSONPointer.escaped(key)
        guard RouteName.isValid(key) else {
            refuse(at: pointer, "has an invalid name: it " + nameRule(RouteName.self))
            return nil
        }
        guard case .string(let text) = value, text.utf8.count <= limits.labelBytesMax else {
            refuse(
                at: pointer, "must be a string of at most \(limits.labelBytesMax) bytes",
                isLimit: value.isText(longerThan: limits.labelBytesMax))
            return nil
        }
        return Label(key: key, value: text)
    }
}

/// The session that a new one begins with.
public struct CopiedSession: Sendable {
    /// The id of the session.
    public var id: SessionID
    /// The revision to copy, or nil for the newest.
    public var revision: Int?
}

extension ObjectReader {
    /// The members `copyOf` and `revision`. Nil if they are missing or invalid.
    mutating func copied(_ body: JSONObject) -> CopiedSession? {
        let id: SessionID? = name("copyOf")
        let revision = integer("revision", in: 1...Int.max)
        guard body["copyOf"] != nil else {
            if body["revision"] != nil {
                refuse("revision", "is only allowed together with copyOf")
            }
            return nil
        }
        if body["url"] != nil { refuse("url", "cannot be combined with copyOf") }
        for name in Self.notInCopies where body[name] != nil {
            refuse(name, "cannot be combined with copyOf, which has it from the other session")
        }
        return id.map { CopiedSession(id: $0, revision: revision) }
    }

    private static let notInCopies = [
        "app", "tabs", "selectedTab", "tabBack", "facts", "template",
    ]
}

/// The body of a PATCH: a merge patch of `{labels, ttlSeconds, idle}`.
public struct PatchSession: Sendable {
    private let labels: JSON?
    private let ttl: JSON?
    private let idle: JSON?
    private let limits: Limits

    public init(_ body: JSONObject, limits: Limits, work: WorkBudget) throws(RejectionError) {
        var reader = ObjectReader(body, at: "", work: work)
        labels = reader.value("labels")
        ttl = reader.value("ttlSeconds")
        idle = reader.value("idle")
        self.limits = limits
        if let labels, labels != .null {
            for member in reader.object("labels")?.members ?? [] where member.value != .null {
                _ = reader.label(member.key, member.value, limits: limits)
            }
        }
        if let ttl, ttl != .null { _ = reader.ttl() }
        if let idle, idle != .null { _ = reader.object("idle") }
        reader.refuseUnknown()
        guard reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
    }

    /// Applies the patch to the settings.
    ///
    /// - Throws: `invalidRequest` if the result is invalid.
    public func apply(to settings: SessionSettings, work: WorkBudget) throws(RejectionError)
        -> SessionSettings
    {
        var settings = settings
        if let ttl { settings.ttlSeconds = ttl.wholeNumber }
        switch idle {
        case .null?: settings.idle = nil
        case .object(let patch)?:
            settings.idle = try merged(settings.idle, with: patch, work: work)
        case nil, .bool?, .integer?, .double?, .string?, .array?: break
        }
        switch labels {
        case .null?: settings.labels = []
        case .object(let patch)?:
            settings.labels = try merged(settings.labels, with: patch, work: work)
        case nil, .bool?, .integer?, .double?, .string?, .array?: break
        }
        return settings
    }

    /// A command in the patch stands in place of the former one: its members belong together.
    private func merged(
        _ idle: IdleCommand?, with patch: JSONObject, work: WorkBudget
    ) throws(RejectionError) -> IdleCommand? {
        var before = idle?.object ?? JSONObject()
        if patch["command"] != nil {
            before = JSONObject(
                before.members.filter { $0.key != "command" }.map { ($0.key, $0.value) })
        }
        let object = JSONObject([("idle", .object(before.merging(patch)))])
        var reader = ObjectReader(object, at: "", work: work)
        let merged = reader.idle(limits)
        guard reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
        return merged
    }

    private func merged(
        _ labels: [Label], with patch: JSONObject, work: WorkBudget
    ) throws(RejectionError) -> [Label] {
        var reader = ObjectReader(patch, at: "", work: work)
        var merged = labels
        for member in patch.members {
            do {
                try work.spend(.steps(2 * merged.count))
            } catch {
                throw .tooMuchWork(.request)
            }
            let index = merged.firstIndex { $0.key == member.key }
            if member.value == .null {
                if let index { merged.remove(at: index) }
            } else if let label = reader.label(member.key, member.value, limits: limits) {
                if let index { merged[index] = label } else { merged.append(label) }
            }
        }
        if merged.count > limits.labelsMax {
            reader.refuse(
                "labels", "must have at most \(limits.labelsMax) members", isLimit: true)
        }
        guard reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
        return merged
    }
}
