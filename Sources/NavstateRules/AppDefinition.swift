internal import Bytes
internal import JSON
internal import Navigation

/// A place in the document of an app, and what is wrong there.
public struct AppFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The JSON pointer (RFC 6901) to the place.
    public let pointer: String
    /// The values that are valid, or advice.
    public let detail: String
    /// A name for warnings of this kind, which does not change; nil for errors.
    public let code: String?
    public var description: String { "\(pointer) \(detail)" }

    init(_ fault: InputFault) {
        (pointer, detail, code) = (fault.pointer, fault.detail, fault.code?.rawValue)
    }
}

/// The faults of an app's document.
public struct InvalidApp: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one fault.
    public let faults: [AppFault]
    /// Warnings about other parts.
    public let warnings: [AppFault]
    public var description: String { faults.map { $0.description }.joined(separator: "\n") }

    init(_ faults: [InputFault], warnings: [InputFault] = []) {
        self.faults = faults.map(AppFault.init)
        self.warnings = warnings.map(AppFault.init)
    }

    fileprivate init(at pointer: String, _ detail: String) {
        self.init([InputFault(pointer: pointer, detail: detail)])
    }
}

/// The document of an app that has been read and checked as a server does before it stores one.
public struct AppDefinition: Sendable {
    let app: App
    let document: JSONObject
    /// The document.
    public let json: String
    /// Warnings: valid parts that look like a mistake.
    public let warnings: [AppFault]
    /// The id of the app.
    public var id: String { app.id.rawValue }
    /// The title for people.
    public var title: String? { app.title }

    /// Reads the document of an app.
    ///
    /// - Parameter id: the id of the app, if the document does not say it.
    public init(json: String, id: String? = nil) throws(InvalidApp) {
        let value: JSON
        do { value = try JSON(parsing: Array(json.utf8)) } catch {
            throw InvalidApp(at: "", "is not valid JSON: \(error)")
        }
        document = value.members ?? JSONObject()
        var name = id
        if case .string(let own)? = document["id"] { name = own }
        let appID = AppID(name ?? "")
        let work = WorkBudget(units: WorkBudget.unitsMaxOfApp)
        let report: AppReport
        do {
            // Without a valid id, the other faults are looked for all the same.
            report = try AppReader.check(
                value, id: appID ?? AppID(trusted: "app"), limits: Limits(), work: work)
        } catch {
            throw InvalidApp(
                at: "", "takes too much work to check: simplify its schemas and links")
        }
        guard appID != nil, let app = report.app else {
            var faults = report.errors
            if appID == nil {
                faults.removeAll { ExactString($0.pointer) == ExactString("/id") }
                faults.insert(InputFault(pointer: "/id", detail: nameRule(AppID.self)), at: 0)
            }
            throw InvalidApp(faults, warnings: report.warnings)
        }
        (self.app, self.json) = (app, json)
        warnings = report.warnings.map(AppFault.init)
    }

    /// Whether the app has a place for a URL: a link that matches it, or `notFound`.
    public func opens(_ url: String) -> Bool {
        (try? app.resolve(url, work: WorkBudget())).flatMap { $0 } != nil
    }
}
