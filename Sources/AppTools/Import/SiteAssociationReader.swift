internal import Bytes
internal import JSON
internal import Navigation

/// Reads an `apple-app-site-association`, the file in which a website says which of its URLs an
/// app opens.
///
/// In such a file the first component counts that matches a URL. In an app the rank of the pattern
/// counts, so there is a note where the two differ.
struct SiteAssociationReader {
    private let host: String?
    /// The variables that the file defines.
    private var variables = JSONObject()
    private var entries: [Entry] = []
    private var known: Set<ExactString> = []
    /// The sets of app ids of the entries, each once.
    private var owners: [JSON] = []

    /// A component with what became of it.
    private struct Entry {
        var pointer: JSONPointer
        var component: AssociatedComponent
        /// The patterns of its links.
        var patterns: [URLShape.Variant] = []
    }

    init(host: String?) { self.host = host }

    mutating func read(
        _ file: JSONObject, into app: inout ImportedApp
    ) throws(ImportError) {
        guard case .object(let applinks)? = file["applinks"] else {
            throw ImportError(detail: "is no apple-app-site-association: applinks is missing")
        }
        for member in file.members where member.key != "applinks" {
            let (name, value) = app.keep(member, at: JSONPointer())
            app.keepAtTop(name, value)
        }
        let pointer = JSONPointer().appending("applinks")
        for member in applinks.members
        where !Self.members.contains(where: { $0 == member.key }) {
            let (name, value) = app.keep(member, at: pointer)
            app.keepAtTop(name, value)
        }
        if let variables = applinks["substitutionVariables"] {
            app.note(
                pointer.appending("substitutionVariables"),
                "cannot be expressed: a variable becomes a capture of any text in a segment")
            app.keepAtTop("x-substitutionVariables", variables)
            if case .object(let object) = variables { self.variables = object }
        }
        switch applinks["details"] {
        case .array(let items)?:
            for (index, item) in items.enumerated() {
                let place = pointer.appending("details").appending(index)
                guard case .object(let entry) = item else {
                    throw ImportError(detail: "is malformed: \(place) must be an object")
                }
                try read(entry, applinks["defaults"], at: place, into: &app)
            }
        case .object(let object)?:
            for member in object.members {
                let place = pointer.appending("details").appending(member.key)
                guard case .object(var entry) = member.value else {
                    throw ImportError(detail: "is malformed: \(place) must be an object")
                }
                entry.append("appIDs", .array([.string(member.key)]))
                try read(entry, applinks["defaults"], at: place, into: &app)
            }
        case .null?, .bool?, .integer?, .double?, .string?, nil:
            throw ImportError(
                detail: "is no apple-app-site-association: applinks has no details")
        }
        finish(&app)
    }

    private static let members = ["apps", "details", "defaults", "substitutionVariables"]

    // MARK: - Components

    private mutating func read(
        _ entry: JSONObject, _ defaults: JSON?, at pointer: JSONPointer,
        into app: inout ImportedApp
    ) throws(ImportError) {
        let owner = entry["appIDs"] ?? entry["appID"].map { JSON.array([$0]) } ?? .array([])
        if !owners.contains(owner) { owners.append(owner) }
        var settings = JSONObject()
        for case .object(let object)? in [entry["defaults"], defaults] {
            for member in object.members where !settings.contains(member.key) {
                settings.append(member.key, member.value)
            }
        }
        if case .array(let items)? = entry["components"] {
            for (index, item) in items.enumerated() {
                let place = pointer.appending("components").appending(index)
                guard case .object(let object) = item else {
                    throw ImportError(detail: "is malformed: \(place) must be an object")
                }
                let component = AssociatedComponent(object, settings, variables: variables)
                add(component, object, at: place, into: &app)
            }
        } else if case .array(let items)? = entry["paths"] {
            for (index, item) in items.enumerated() {
                let place = pointer.appending("paths").appending(index)
                guard case .string(let text) = item else {
                    throw ImportError(detail: "is malformed: \(place) must be a text")
                }
                let component = AssociatedComponent(path: text, variables: variables)
                add(component, JSONObject(), at: place, into: &app)
            }
        } else {
            throw ImportError(detail: "is malformed: \(pointer) has no components and no paths")
        }
    }

    private mutating func add(
        _ component: AssociatedComponent, _ object: JSONObject, at pointer: JSONPointer,
        into app: inout ImportedApp
    ) {
        // Several versions of an app have the same components.
        guard known.insert(ExactString(component.identity)).inserted else { return }
        for lost in component.lost { app.note(pointer, lost) }
        var extras = JSONObject()
        if let comment = component.comment { extras.append("description", .string(comment)) }
        if component.ignoresCase { extras.append("caseSensitive", .bool(false)) }
        for member in object.members where !AssociatedComponent.known(member.key) {
            let (name, value) = app.keep(member, at: pointer)
            if !extras.contains(name) { extras.append(name, value) }
        }
        var entry = Entry(pointer: pointer, component: component)
        var route = ""
        if !component.isExcluded {
            var body = JSONObject()
            if let schema = ImportedParam.schema(component.params) { body.append("params", schema) }
            route = app.addRoute(component.name, body)
        }
        // The fragment counts only where all else is equal, so these have patterns of their own.
        for earlier in entries where earlier.component.excludesByFragment {
            for pattern in component.patterns(host: host, excludedBy: earlier.component) {
                app.addLink(
                    ImportedLink(
                        pattern: pattern.text,
                        body: ["redirect": .string(AssociatedComponent.nowhere)],
                        source: earlier.pointer))
            }
        }
        for pattern in component.patterns(host: host) {
            var body = JSONObject()
            if component.isExcluded {
                body.append("redirect", .string(component.redirect))
            } else {
                body.append("path", .array([ImportedParam.screen(route, pattern.names)]))
            }
            for member in extras.members { body.append(member.key, member.value) }
            entry.patterns.append(pattern)
            app.addLink(
                ImportedLink(
                    pattern: pattern.text, body: body, source: pointer,
                    params: component.isExcluded ? [] : component.params))
        }
        entries.append(entry)
    }

    // MARK: - The whole app

    private func finish(_ app: inout ImportedApp) {
        let routes = app.routeNames.map { JSON.string($0) }
        app.tabs = [["id": .string("main"), "routes": .array(routes)]]
        if owners.contains(where: { $0 != .array([]) }) {
            app.keepAtTop("x-appIDs", owners.count == 1 ? owners[0] : .array(owners))
        }
        noteOrder(&app)
    }

    /// Notes components that lose URLs to later ones whose patterns have a higher rank.
    private func noteOrder(_ app: inout ImportedApp) {
        let ranks = app.ranks
        var comparisons = 0
        for (index, earlier) in entries.enumerated() {
            var winners: [Entry] = []
            for later in entries[(index + 1)...]
            where !later.component.isSettled(with: earlier.component) {
                comparisons += later.patterns.count * earlier.patterns.count
                guard comparisons <= Self.comparisonsMax else {
                    let applinks = JSONPointer().appending("applinks")
                    return app.note(applinks, "has too many components to compare their order")
                }
                guard later.component.overlaps(earlier.component) else { continue }
                if URLShape.Variant.isFirst(later.patterns, earlier.patterns, by: ranks) {
                    winners.append(later)
                }
            }
            note(winners, over: earlier, &app)
        }
    }

    private func note(_ winners: [Entry], over loser: Entry, _ app: inout ImportedApp) {
        guard let first = winners.first else { return }
        let others = winners.count > 1 ? " and to \(winners.count - 1) more" : ""
        app.note(
            loser.pointer,
            "loses URLs to \(first.pointer)\(others) behind it, because the pattern there has the "
                + "higher rank")
    }

    /// More comparisons take longer than a second.
    private static let comparisonsMax = 200_000
}
