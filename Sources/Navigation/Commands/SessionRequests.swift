package import JSON

/// The body of a creation: `{id?, app?, tabs?, selectedTab?, ttlSeconds?, labels?}`.
package struct CreateSession: Sendable {
    /// The id that the client chose; nil if the service chooses one.
    package var id: SessionID?
    /// The app to bind the session to; nil for a free-form session.
    package var app: AppID?
    /// The tabs of a free-form session; nil for one tab named `main`.
    package var tabs: [TabID]?
    /// The tab to select; nil for the first one.
    package var selectedTab: String?
    /// The labels and the time to live.
    package var settings: SessionSettings

    package init(_ body: JSONObject, limits: Limits, work: WorkBudget) throws(RejectionError) {
        var reader = ObjectReader(body, at: "", work: work)
        id = reader.name("id")
        app = reader.name("app")
        tabs = reader.tabs(limits)
        if app != nil, tabs != nil {
            reader.refuse("tabs", "cannot be combined with app, which declares the tabs")
        }
        selectedTab = reader.text("selectedTab")
        settings = SessionSettings(labels: reader.labels(limits) ?? [], ttlSeconds: reader.ttl())
        reader.refuseUnknown()
        guard reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
    }

    /// Makes the new session.
    ///
    /// - Parameter id: the id to use if the body has none.
    /// - Throws: `tabNotFound` if the tab to select does not exist.
    package func session(
        id fresh: SessionID, app: App?, at: Milliseconds
    ) throws(RejectionError) -> Session {
        let tabs = self.tabs ?? [TabID(trusted: "main")]
        var state = app?.freshState ?? NavigationState(tabs: tabs.map { Tab(id: $0) })
        if let selectedTab {
            guard let index = state.tabIndex(named: selectedTab) else {
                throw .tabNotFound(selectedTab, known: state.tabs.map(\.id))
            }
            state.selected = index
        }
        return Session(
            id: id ?? fresh, app: self.app, settings: settings, at: at, state: state)
    }
}

extension ObjectReader {
    fileprivate mutating func tabs(_ limits: Limits) -> [TabID]? {
        guard let items = array("tabs") else { return nil }
        guard (1...limits.tabsMax).contains(items.count) else {
            refuse("tabs", "must have 1 to \(limits.tabsMax) names")
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
            refuse("labels", "must have at most \(limits.labelsMax) members")
        }
        return labels
    }

    fileprivate mutating func label(_ key: String, _ value: JSON, limits: Limits) -> Label? {
        let pointer = "/labels/" + JSONPointer.escaped(key)
        guard RouteName.isValid(key.utf8) else {
            refuse(at: pointer, "has an invalid name: it " + nameRule(RouteName.self))
            return nil
        }
        guard case .string(let text) = value, text.utf8.count <= limits.labelBytesMax else {
            refuse(at: pointer, "must be a string of at most \(limits.labelBytesMax) bytes")
            return nil
        }
        return Label(key: key, value: text)
    }
}

/// The body of a PATCH: a merge patch of `{labels, ttlSeconds}`.
package struct PatchSession: Sendable {
    private let labels: JSON?
    private let ttl: JSON?
    private let limits: Limits

    package init(_ body: JSONObject, limits: Limits, work: WorkBudget) throws(RejectionError) {
        var reader = ObjectReader(body, at: "", work: work)
        labels = reader.value("labels")
        ttl = reader.value("ttlSeconds")
        self.limits = limits
        if let labels, labels != .null { _ = reader.object("labels") }
        if let ttl, ttl != .null { _ = reader.ttl() }
        reader.refuseUnknown()
        guard reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
    }

    /// Applies the patch to the settings.
    ///
    /// - Throws: `invalidRequest` if the result is invalid.
    package func apply(to settings: SessionSettings, work: WorkBudget) throws(RejectionError)
        -> SessionSettings
    {
        var settings = settings
        if let ttl { settings.ttlSeconds = ttl.wholeNumber }
        switch labels {
        case .null?: settings.labels = []
        case .object(let patch)?:
            settings.labels = try merged(settings.labels, with: patch, work: work)
        case nil, .bool?, .integer?, .double?, .string?, .array?: break
        }
        return settings
    }

    private func merged(
        _ labels: [Label], with patch: JSONObject, work: WorkBudget
    ) throws(RejectionError) -> [Label] {
        var reader = ObjectReader(patch, at: "", work: work)
        var merged = labels
        for member in patch.members {
            do {
                try work.spend(.steps(merged.count))
            } catch {
                throw .tooMuchWork(.request)
            }
            let index = merged.firstIndex { JSONText.isSame($0.key, member.key) }
            if member.value == .null {
                if let index { merged.remove(at: index) }
            } else if let label = reader.label(member.key, member.value, limits: limits) {
                if let index { merged[index] = label } else { merged.append(label) }
            }
        }
        if merged.count > limits.labelsMax {
            reader.refuse("labels", "must have at most \(limits.labelsMax) members")
        }
        guard reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
        return merged
    }
}

extension Session {
    /// The event of new settings; nil if they are the same as before.
    package func updating(_ settings: SessionSettings, at: Milliseconds) -> Event? {
        guard settings != self.settings else { return nil }
        return Event(
            at: at, changes: [], settings: settings, nextEntry: nextEntry, step: .aside)
    }
}
