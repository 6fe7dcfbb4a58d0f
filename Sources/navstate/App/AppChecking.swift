internal import API
internal import AppTools
internal import Bytes

extension Subcommand {
    static let appCheck = aboutDocument(
        "check", "FILE...",
        meaning: "check documents of apps; print errors and warnings with their places",
        details: """
            Each finding is a line FILE:LINE:COLUMN: SEVERITY: POINTER DETAIL, or with --json an \
            object that has also a code. The exit code is 78 if a document has an error, or with \
            --strict a warning that is not about an icon. FILE may be - for standard input; with \
            --server it is the id of an app on a server.
            """, run: AppChecking.run
    ).with(["strict", "generate"])
}

extension Subcommand {
    static let appSchema = aboutDocument(
        "schema", "", meaning: "print the JSON Schema of the document of an app",
        details: """
            It is JSON Schema 2020-12, for editors: name the file in the member $schema of a \
            document. A server has it at /app.schema.json.
            """
    ) { command in
        command.output.print(String(decoding: EmbeddedDocument.appSchema, as: UTF8.self))
    }.withOnly([])
}

/// The command `app check`.
enum AppChecking {
    static func run(_ command: AppCommand) throws(ExitError) {
        var count = (errors: 0, warnings: 0)
        var hasFailed = false
        for word in command.all("FILE") {
            let check = try check(word, command)
            command.print(check.findings)
            let errors = check.findings.count { $0.severity == .error }
            count = (count.errors + errors, count.warnings + check.findings.count - errors)
            if check.fails(isStrict: command.flag("strict")) { hasFailed = true }
        }
        if !command.printsJSON { command.output.print(summary(count)) }
        if hasFailed { throw ExitError(.configuration, "") }
    }

    /// The findings about a document, with `--generate` also those about code that is generated.
    private static func check(
        _ word: String, _ command: AppCommand
    ) throws(ExitError) -> AppCheck {
        let (check, checked) = try command.check(word)
        guard let language = command.option("generate").flatMap(GeneratedLanguage.init(named:)),
            let checked
        else { return check }
        let code = GeneratedCode(
            checked.document.value, checked.app, in: language, options: GeneratedCode.Options())
        return check.adding(code.faults.map { $0.finding(in: checked.document) })
    }

    private static func summary(_ count: (errors: Int, warnings: Int)) -> String {
        func text(_ count: Int, _ word: String) -> String {
            "\(count) \(word)\(count == 1 ? "" : "s")"
        }
        return "\(text(count.errors, "error")), \(text(count.warnings, "warning"))\n"
    }
}
