internal import Bytes
public import JSON

/// The name of a template that an app declares.
public struct TemplateName: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// Commands with which a new session can begin.
public struct AppTemplate: Sendable {
    /// The name of the template.
    public var name: TemplateName
    /// The title for people.
    public var title: String?
    /// The body of a batch with the commands.
    public var batch: JSONObject
}

extension App {
    /// The template of that name.
    public func template(_ name: TemplateName) -> AppTemplate? {
        templates.first { $0.name == name }
    }
}

extension AppReader {
    /// Each template is tried out when the app is stored.
    static let templatesMax = 100

    /// Reads the templates. Their commands are read when they are carried out.
    mutating func readTemplates(_ object: JSONObject) -> [AppTemplate] {
        guard object.count <= Self.templatesMax else {
            refuse(
                "/templates", "must have at most \(Self.templatesMax) templates", isLimit: true)
            return []
        }
        var templates: [AppTemplate] = []
        for member in object.members {
            guard
                let (name, body, pointer): (TemplateName, _, _) = declaration(
                    member, in: "templates", form: "an object with commands")
            else { continue }
            guard let body else { continue }
            var reader = ObjectReader(body, at: pointer, work: work)
            let title = reader.text("title")
            var commands = reader.requiredArray("commands") ?? []
            if checks == .needed { commands = commands.map({ $0.withoutFormerDetents }) }
            reader.allowNotes()
            reader.refuseUnknown()
            errors.append(reader.faults)
            let batch = JSONObject([("commands", .array(commands))])
            templates.append(AppTemplate(name: name, title: title, batch: batch))
        }
        return templates
    }
}
