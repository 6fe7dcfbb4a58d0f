internal import AppTools
internal import Bytes
internal import POSIX

extension Subcommand {
    static let appGenerate = aboutDocument(
        "generate", "LANGUAGE FILE",
        meaning: "generate types of the screens, facts and links of an app",
        details: """
            LANGUAGE is swift, typescript or kotlin. FILE is the document of an app, or - for \
            standard input; with --server it is the id of an app on a server. The same document \
            always gives the same text. With --check nothing is written: the exit code is 1 if a \
            file differs from the generated text, and the declarations that differ are listed. It \
            is 78 if the document has an error, or names that are equal in code.
            """, run: AppGenerating.run
    ).with(["output", "mocks", "module", "name", "access", "no-document", "links", "check"])
}

extension GeneratedFault {
    /// The fault with its place.
    func finding(in document: AppDocument) -> AppFinding {
        document.finding(isError ? .error : .warning, at: pointer, code: code, detail)
    }
}

/// The command `app generate`.
enum AppGenerating {
    static func run(_ command: AppCommand) throws(ExitError) {
        guard let language = GeneratedLanguage(named: command.word("LANGUAGE")) else {
            let known = GeneratedLanguage.allCases.map(\.rawValue).joined(separator: ", ")
            throw ExitError(.usage, "LANGUAGE must be one of \(known)")
        }
        guard let path = command.option("output") else {
            throw ExitError(.usage, "name the file to write with --output")
        }
        let printsCode = path == "-"
        if printsCode, command.flag("check") || command.flag("links") {
            throw ExitError(.usage, "--check and --links need the name of a file with --output")
        }
        let options = try options(command, language)
        let checked = try command.document()
        let code = GeneratedCode(
            checked.document.value, checked.app, in: language, options: options)
        command.print(code.faults.map { $0.finding(in: checked.document) }, toError: true)
        guard !code.faults.contains(where: \.isError) else { throw ExitError(.configuration, "") }
        var files = [(path: path, text: code.main)]
        if let mocks = command.option("mocks") { files.append((mocks, code.mocks)) }
        if language.isTypeScript, command.flag("links") {
            let stem = path.hasSuffix(".ts") ? String(path.dropLast(".ts".count)) : path
            files.append((stem + ".links.ts", code.links))
        }
        guard command.flag("check") else {
            for file in files.dropFirst(printsCode ? 1 : 0) {
                try write(file.text, to: file.path)
            }
            return command.output.print(printsCode ? code.main : code.summary + "\n")
        }
        try check(files, command.output)
    }

    private static func options(
        _ command: AppCommand, _ language: GeneratedLanguage
    ) throws(ExitError) -> GeneratedCode.Options {
        for name in ["mocks", "access"] where !language.isSwift && command.option(name) != nil {
            throw ExitError(.usage, "--\(name) is for swift")
        }
        if command.flag("no-document"), !language.isSwift {
            throw ExitError(.usage, "--no-document is for swift: other code has no document")
        }
        if command.flag("links"), !language.isTypeScript {
            throw ExitError(.usage, "--links is for typescript: other code always has the links")
        }
        if command.option("module") != nil {
            if language.isTypeScript { throw ExitError(.usage, "--module is for swift and kotlin") }
            if language.isSwift, command.option("mocks") == nil {
                throw ExitError(.usage, "--module is what the mocks import: it needs --mocks")
            }
        }
        if command.option("mocks") == command.option("output") {
            throw ExitError(.usage, "--mocks and --output name the same file")
        }
        var options = GeneratedCode.Options()
        options.isPublic = command.option("access") == "public"
        options.hasDocument = !command.flag("no-document")
        options.name = command.option("name")
        options.module = command.option("module")
        if let name = options.name, !GeneratedCode.isNamespace(name) {
            throw ExitError(.usage, "--name \(name.clipped) is no name of a type")
        }
        if let module = options.module, !GeneratedCode.isModule(module, language) {
            throw ExitError(.usage, "--module \(module.clipped) is no name of a module")
        }
        return options
    }

    private static func write(_ text: String, to path: String) throws(ExitError) {
        do throws(SystemError) {
            // A file with the same content is left alone, so that build systems do nothing.
            if (try? FileDescriptor.contents(of: path)) == Array(text.utf8) { return }
            let file = try FileDescriptor.open(path, [.writeOnly, .create, .truncate], mode: 0o666)
            try file.writeAll(Array(text.utf8), 0..<text.utf8.count)
        } catch {
            throw ExitError(.configuration, "\(path): \(error.text)")
        }
    }

    private static func check(
        _ files: [(path: String, text: String)], _ output: Output
    ) throws(ExitError) {
        var differences: [String] = []
        for (path, text) in files {
            do throws(SystemError) {
                let bytes = try FileDescriptor.contents(of: path)
                differences += GeneratedCode.differences(of: path, bytes, from: text)
            } catch {
                differences.append("\(path): \(error.text)")
            }
        }
        guard !differences.isEmpty else { return output.print("no differences\n") }
        for line in differences { output.print(Printable.text(line) + "\n") }
        throw ExitError(.refused, "run navstate app generate again")
    }
}
