internal import Bytes

// The rows about the documents of apps. Each belongs to some of the commands `navstate app …`,
// whose rows name it; they read its value with `AppCommand.option`.

extension Option {
    static let appOptions: [Option] = [
        ofCommand(
            "strict", .flag, meaning: "whether app check fails because of warnings, too",
            details: "Warnings about icons do not count, since every SF Symbol is a good name."),
        ofCommand(
            "generate", .choice(["swift", "typescript", "kotlin"]),
            meaning: "the language for which app check also checks the generated code",
            details: """
                It adds the warnings of app generate, for example about a param without a type, and
                its errors about names.
                """),
        ofCommand(
            "from", .choice(["apple-app-site-association", "react-navigation", "hotwire"]),
            meaning: "the form of the file that app import reads",
            details: """
                apple-app-site-association is the file in /.well-known of a website,
                react-navigation the object linking of a container as JSON, and hotwire a path
                configuration.
                """),
        ofCommand(
            "id", .text("ID"), meaning: "the id of the app that app import makes",
            details: "Without it the name of the file is the id, without its ending."),
        ofCommand(
            "host", .text("HOST"), meaning: "the host of the links that app import makes",
            details: """
                An apple-app-site-association and a path configuration do not name the website that
                they belong to. Without this option, the patterns of the links begin with a slash.
                """),
        ofCommand(
            "format", .choice(["mermaid", "dot"]), meaning: "the language of the diagram",
            details: "The default is mermaid, which Markdown pages show; dot is for Graphviz."),
        ofCommand(
            "depth", .count(1...20), meaning: "the number of steps that app explore goes [5]",
            details: "Each step is one command. Each further step has many times more states."),
        ofCommand(
            "to", .text("SCREEN"), meaning: "print the shortest way to a screen",
            details: "SCREEN is a route, or a route and its params: 'order {\"id\":\"7\"}'."),
        ofCommand(
            "emit", .choice(["playwright", "xcuitest"]),
            meaning: "print a test for each screen instead of a report",
            details: """
                A Playwright test opens the state of the display, an XCUITest opens it in the app.
                """),
        ofCommand(
            "output", .file, meaning: "the file that app generate writes",
            details: """
                An existing file is overwritten; with --check it is only compared. - means \
                standard output.
                """
        ).with { $0.short = "-o" },
        ofCommand(
            "mocks", .file, meaning: "a second file, with mocks of the routing protocols",
            details: "Mocks belong in the test target, so they go into a separate file."),
        ofCommand(
            "module", .text("NAME"),
            meaning: "the module that the file of --mocks imports, or the package of Kotlin",
            details: "The file of --mocks then begins with @testable import NAME."),
        ofCommand(
            "name", .text("NAME"), meaning: "the name of the generated namespace",
            details: "The default is the id of the app in camel case: Chat for chat."),
        ofCommand(
            "access", .choice(["public", "internal"]),
            meaning: "the access level of the generated declarations",
            details: "The default is internal. With public, other modules can use them."),
        ofCommand(
            "check", .flag, meaning: "compare with the existing file instead of writing it",
            details: "The exit code is 1 if they differ, and the declarations are named."),
        ofCommand(
            "no-document", .flag, meaning: "leave the document out of the generated file",
            details: "Previews, tests and prediction without a server need the document."),
        ofCommand(
            "links", .flag, meaning: "generate functions that build URLs, too",
            details: "For TypeScript, whose output is only types otherwise. Other code has them."),
    ]

    static func ofCommand(
        _ name: String, _ kind: OptionKind, meaning: String, details: String
    ) -> Option {
        Option(name, kind, meaning: meaning, details: details) { configuration in
            configuration.ofCommand[ExactString(name)].map { [$0] } ?? []
        } write: { configuration, values in
            guard kind.allows(values[0]) else { return kind.rule }
            configuration.ofCommand[ExactString(name)] = values[0]
            return nil
        }.with { $0.hasVariable = false }
    }
}

extension OptionKind {
    /// Whether a text has the form of this kind, for the kinds that options of apps have.
    fileprivate func allows(_ text: String) -> Bool {
        switch self {
        case .flag: OptionValue<Bool>.flag.parse(text) != nil
        case .choice(let words): words.contains(text)
        case .count(let range): OptionValue<Int>.count(range).parse(text) != nil
        case .address, .file, .directory, .text, .size, .duration: !text.isEmpty
        }
    }
}
