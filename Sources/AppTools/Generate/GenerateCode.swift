internal import Bytes
public import JSON
public import Navigation

/// Code in a language that has the names and the types of an app.
public struct GeneratedCode: Sendable {
    /// Options beside the document and the language.
    public struct Options: Sendable {
        /// The namespace, or nil for one that is named after the app.
        public var name: String?
        public var isPublic = false
        /// Whether Swift has the document.
        public var hasDocument = true
        /// The module that mocks import, or the package of Kotlin.
        public var module: String?

        public init() {}
    }

    /// Changes with each change of what is generated from the same document.
    private static let version = 3

    /// The types, and in Swift and Kotlin all that uses them.
    public let main: String
    /// Mocks of the routing protocols. Empty unless the language is Swift.
    public let mocks: String
    /// The functions that build URLs, in TypeScript. Elsewhere they are in the main file.
    public let links: String
    public let faults: [GeneratedFault]
    /// The number of things of each kind.
    public let summary: String

    public init(
        _ document: JSON, _ app: App, in language: GeneratedLanguage, options: Options = Options()
    ) {
        var reader = AppModelReader(app, document, name: options.name, in: language)
        reader.read()
        let model = reader.model
        faults = reader.faults
        func text(_ part: String, _ lines: [String]) -> String {
            let title = model.title.commentLines.joined(separator: " ")
            let head =
                "// \(part) of \(title). Made by navstate app generate "
                + "\(language.rawValue), version \(Self.version); do not edit."
            return ([head] + lines).joined(separator: "\n") + "\n"
        }
        switch language {
        case .swift:
            let ignored = ["// swift-format-ignore-file", "// swiftlint:disable all"]
            let printer = SwiftPrinter(model: model, options: options)
            main = text("The navigation", ignored + printer.code())
            mocks = text("Mocks of the routing protocols", ignored + printer.mocks())
            links = ""
        case .typescript:
            let printer = TypeScriptPrinter(model: model)
            main = text("The navigation", printer.code())
            links = text("The links", printer.links())
            mocks = ""
        case .kotlin:
            main = text("The navigation", KotlinPrinter(model: model, options: options).code())
            (mocks, links) = ("", "")
        }
        func count(_ count: Int, _ noun: String) -> String {
            "\(count) \(noun)\(count == 1 ? "" : "s")"
        }
        summary = [
            count(model.routes.count, "screen"), count(model.tabs.count, "tab"),
            count(model.facts.count, "fact"), count(model.types.count, "type"),
            count(model.links.count, "link"), count(model.groups.count, "group"),
        ].joined(separator: ", ")
    }
}

/// Lines in braces.
func block(_ head: String, _ body: [String]) -> [String] {
    if body.isEmpty { return [head + " {}"] }
    return [head + " {"] + body.map { $0.isEmpty ? "" : "    " + $0 } + ["}"]
}

/// A switch in Swift with a value for each case. Cases that bind nothing share a line.
func choose(_ values: [(pattern: String, value: String)]) -> [String] {
    var order: [String] = []
    var patterns: [ExactString: [String]] = [:]
    for (pattern, value) in values {
        let binds = pattern.utf8.contains(UInt8(ascii: "("))
        let key = ExactString(binds ? pattern : value)
        if patterns[key] == nil { order.append(key.text) }
        patterns[key, default: []].append(pattern)
    }
    if order.count == 1, order[0] == values[0].value { return [order[0]] }
    var values = Dictionary(values.map { (ExactString($0.pattern), $0.value) }) { $1 }
    return ["switch self {"]
        + order.map { key in
            let names = patterns[ExactString(key)] ?? []
            let value = values.removeValue(forKey: ExactString(names.first ?? "")) ?? ""
            return "case \(names.joined(separator: ", ")): \(value)"
        } + ["}"]
}
