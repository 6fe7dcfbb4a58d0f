import FoundationEssentials
import JSON
import Navigation
import Testing

import AppTools

/// The folder of the package.
let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// The text of a file of the package.
func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
}

/// A document that is JSON, as the file `app.json`.
func document(_ text: String) throws -> AppDocument {
    try AppDocument(Array(text.utf8), file: "app.json")
}

/// The report of the rules about a document.
func report(_ value: JSON, id: String = "app") throws -> AppReport {
    var id = id
    if case .object(let object) = value, case .string(let own)? = object["id"] { id = own }
    return try AppReader.read(
        value, id: AppID(id) ?? AppID(trusted: "app"), limits: Limits(), work: WorkBudget())
}

/// The findings about a document.
func findings(_ text: String) throws -> [AppFinding] {
    let document: AppDocument
    do { document = try AppDocument(Array(text.utf8), file: "app.json") } catch {
        return [error]
    }
    return AppCheck(document, try report(document.value)).findings
}
