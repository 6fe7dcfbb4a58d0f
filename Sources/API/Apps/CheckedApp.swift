public import JSON
public import Navigation

/// A definition of an app that was refused, and why.
public struct InvalidAppError: Error, Sendable {
    /// The id under which the app was to be stored.
    public var id: AppID
    /// The reasons, at least one.
    public var faults: [InputFault]
}

/// An app whose definition is valid, with its document as it is stored.
public struct CheckedApp: Sendable {
    let app: App
    /// The definition as JSON, with the id of the app.
    let text: [UInt8]
    /// Warnings: valid parts that look like a mistake.
    public let warnings: [InputFault]

    /// The id of the app.
    public var id: AppID { app.id }

    init(app: App, text: [UInt8], warnings: [InputFault] = []) {
        self.app = app
        self.text = text
        self.warnings = warnings
    }

    /// Reads the document of a file. It needs no store, so any thread may do it.
    ///
    /// - Throws: the faults for which the app is refused.
    public init(_ text: [UInt8], named id: AppID, limits: Limits) throws(InvalidAppError) {
        let check: Check
        do {
            let document = try JSON(
                parsing: text, limits: JSONLimits(nestingMax: limits.nestingMax))
            check = try Check(document, id, limits: limits, work: .unlimited)
        } catch {
            let fault = InputFault(pointer: "", detail: "is not valid JSON: \(error)")
            throw InvalidAppError(id: id, faults: [fault])
        }
        guard let app = check.report.app else {
            throw InvalidAppError(id: id, faults: check.report.errors)
        }
        self.init(app: app, text: check.text, warnings: check.report.warnings)
    }

    /// Everything that a server with these limits says of a document.
    public static func report(
        _ document: JSON, named id: AppID, limits: Limits = Limits()
    ) -> AppReport {
        do throws(WorkBudgetError) {
            let work = WorkBudget(units: WorkBudget.unitsMaxOfApp)
            return try Check(document, id, limits: limits, work: work).report
        } catch {
            let fault = InputFault(pointer: "", detail: "takes too much work to check")
            return AppReport(app: nil, errors: [fault], warnings: [])
        }
    }

    /// The result of checking a definition.
    struct Check {
        var report: AppReport
        /// The definition as JSON, with the id of the app.
        let text: [UInt8]

        /// Checks a document and adds the id to it. With the id it must still be within the limits
        /// of a body, so that the response to GET can be sent with PUT.
        init(
            _ document: JSON, _ id: AppID, limits: Limits, work: WorkBudget
        ) throws(WorkBudgetError) {
            report = try AppReader.check(document, id: id, limits: limits, work: work)
            text = document.named(id).bytes
            var reader = JSONReader(text, limits: JSONLimits(nestingMax: limits.nestingMax))
            do {
                try reader.skipValue()
            } catch {
                let detail = "is missing, and adding it exceeds a limit: \(error.description)"
                report.errors.append(InputFault(pointer: "/id", detail: detail))
                report.app = nil
            }
        }
    }
}

extension JSON {
    /// The document of an app with its id; unchanged if it has one.
    fileprivate func named(_ id: AppID) -> JSON {
        guard case .object(let object) = self, object["id"] == nil else { return self }
        var named = JSONObject([("id", .string(id.rawValue))])
        for member in object.members { named.append(member.key, member.value) }
        return .object(named)
    }
}
