internal import AppTools
internal import Bytes
internal import HTTP
internal import JSON

/// How the result of a client command is printed for people.
enum ResultForm: Sendable {
    /// The session is drawn.
    case session
    /// The changes of the command, and the session.
    case change
    /// A line for each member.
    case document
    /// The value of a member alone.
    case member(String)
    /// A phrase, and the first word of the command.
    case done(String)
    /// A table of the items of a list; a column can be a path of members.
    case table(String, columns: String)
}

/// Prints the results of client commands, as JSON or for people.
struct ClientPrinter {
    private let output: Output
    /// Whether results and refusals are JSON documents.
    let printsJSON: Bool
    private let paint: Paint

    init(_ output: Output, printsJSON: Bool?) {
        self.output = output
        self.printsJSON = printsJSON ?? !output.isTerminal
        paint = Paint(isOn: output.hasColors && !self.printsJSON)
    }

    /// Whether the output could not be written.
    var hasFailed: Bool { output.failure() != nil }

    // MARK: - Results

    /// Prints the result of a command as JSON, or for people in a form.
    ///
    /// - Parameter subject: the first word of the command.
    func print(_ result: JSON, as form: ResultForm, of subject: String = "") {
        guard !printsJSON else { return result == .null ? () : print(document: result) }
        switch form {
        case .session: draw(result)
        case .change: printChange(result)
        case .document: print(lines: result)
        case .member(let name): print(line: result[name]?.plainText ?? "")
        case .done(let phrase): print(line: "\(phrase) \(subject)")
        case .table(let list, let columns): printTable(result, list, columns: columns.words)
        }
    }

    /// Prints a JSON document as one line. No character in it is one that a terminal obeys.
    func print(document: JSON) { output.print(Printable.text(document.text) + "\n") }

    /// Prints a line that may have anything in it.
    func print(line: String) { output.print(Printable.text(line) + "\n") }

    /// Prints a message beside the results.
    func note(_ text: String) { output.printError("navstate: \(Printable.text(text))\n") }

    private func draw(_ session: JSON) {
        output.print(SessionDrawing(session, columns: output.columns, paint: paint).text)
    }

    /// Prints what a command has done, and the session after it.
    private func printChange(_ result: JSON) {
        output.print(Self.summary(result))
        if let session = result["session"] { draw(session) }
    }

    /// The changes of a command in a line: `added e3; removed e1, e2`.
    private static func summary(_ result: JSON) -> String {
        if result["changed"] == .bool(false) {
            let reason = result["reason"]?.plainText ?? "no reason is given"
            return Printable.text("nothing changed: \(reason)") + "\n"
        }
        var parts: [String] = []
        for name in ["added", "removed"] {
            let ids = result[name]?.items.map(\.plainText) ?? []
            if !ids.isEmpty { parts.append("\(name) \(ids.joined(separator: ", "))") }
        }
        if let name = result["held"] {
            parts.append("held back by the guard \(name.plainText)")
        }
        return parts.isEmpty ? "" : Printable.text(parts.joined(separator: "; ")) + "\n"
    }

    private func printTable(_ page: JSON, _ list: String, columns: [String]) {
        let items = page[list]?.items ?? []
        let rows = items.map { item in
            columns.map { item.value(at: $0)?.plainText ?? "" }
        }
        let heading = columns.map { $0 == "*" ? list.uppercased() : Self.heading(of: $0) }
        output.print(items.isEmpty ? "no \(list)\n" : TextTable([heading] + rows).text(paint))
        if let next = page["next"] {
            let name = list == "history" ? "before" : "cursor"
            note("there are more; add \(name)=\(next.plainText) for the next page")
        }
    }

    private static func heading(of column: String) -> String {
        let name = String(column.split(separator: ".")[0])
        return (name.hasSuffix("At") ? String(name.unicodeScalars.dropLast(2)) : name).uppercased()
    }

    /// - Parameter document: the app as it was sent.
    func printStored(_ result: JSON, _ document: AppDocument) {
        let id = result["app"]?["id"]?.plainText ?? ""
        print(line: id.isEmpty ? "stored the app" : "stored the app \(id)")
        for line in Self.faults(result["warnings"], .warning, in: document) { print(line: line) }
    }

    /// Prints what a dry run has found.
    func printTrial(_ result: JSON, _ document: AppDocument) {
        let isValid = result["valid"] == .bool(true)
        print(line: isValid ? "the app is valid, and nothing was stored" : "the app is invalid")
        for line in Self.faults(result["errors"], .error, in: document) { print(line: line) }
        for line in Self.faults(result["warnings"], .warning, in: document) { print(line: line) }
        if let impact = result["impact"] { print(line: "impact on its sessions: \(impact.text)") }
    }

    /// Faults of a document as lines with their places.
    private static func faults(
        _ list: JSON?, _ severity: AppFinding.Severity, in document: AppDocument
    ) -> [String] {
        (list?.items ?? []).map { fault in
            document.finding(
                severity, at: fault["pointer"]?.string ?? "", code: fault["code"]?.string ?? "",
                fault["detail"]?.string ?? ""
            ).line
        }
    }

    /// Prints a document with a line for each member.
    private func print(lines document: JSON) {
        for line in document.lines.split(separator: "\n") { print(line: String(line)) }
    }

    // MARK: - Refusals

    /// Prints a refusal as an error.
    ///
    /// - Parameters:
    ///   - document: the problem, or nil if the response is not a document.
    ///   - source: the document of an app that was sent, for the places of faults in it.
    func printRefusal(_ head: ResponseHead, _ document: JSON?, of source: AppDocument? = nil) {
        guard let document, !document.members.isEmpty else {
            return note(
                "the server refused with status \(head.statusCode) and without a reason that "
                    + "navstate gives; is --server the address of a navstate server?")
        }
        if printsJSON { return output.printError(Printable.text(document.text) + "\n") }
        let kind = document["type"]?.string?.split(separator: "/").last.map(String.init)
        let detail = document["detail"]?.string ?? document["title"]?.string ?? ""
        let hint = head.statusCode == 401 ? " Here, set NAVSTATE_TOKEN or use --token-file." : ""
        note("\(kind ?? "refused") (\(head.statusCode)): \(detail)\(hint)")
        if let source {
            for line in Self.faults(document["errors"], .error, in: source) {
                output.printError(Printable.text(line) + "\n")
            }
            return
        }
        for fault in document["errors"]?.items ?? [] {
            let (place, detail) = (fault["pointer"]?.plainText, fault["detail"]?.plainText)
            output.printError(Printable.text("  \(place ?? "")  \(detail ?? "")") + "\n")
        }
    }
}
