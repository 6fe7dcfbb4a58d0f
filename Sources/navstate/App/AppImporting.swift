internal import AppTools
internal import Bytes
internal import JSON
internal import Navigation

extension Subcommand {
    static let appImport = aboutDocument(
        "import", "FILE",
        meaning: "make the document of an app from a file of another system",
        details: """
            It prints the document, which app put - stores without errors, and on standard error \
            a line POINTER: TEXT for each part that it could not express, with its \
            replacement. Parts without a meaning here are kept in members that begin with x-. \
            FILE may be - for standard input. The exit code is 78 if the file cannot be read or is \
            not of the form that --from names.
            """, run: AppImporting.run
    ).withOnly(["from", "id", "host"])
}

/// The command `app import`.
enum AppImporting {
    static func run(_ command: AppCommand) throws(ExitError) {
        guard let form = command.option("from").flatMap(ImportForm.init(named:)) else {
            let forms = ImportForm.allCases.map(\.rawValue).joined(separator: ", ")
            throw ExitError(.usage, "the option --from is missing; it is one of \(forms)")
        }
        let host = command.option("host")
        guard host.map(Self.isHost) ?? true else {
            throw ExitError(.usage, "--host must be the name of a host, such as www.example.com")
        }
        let file = command.word("FILE")
        let id = try id(command, file)
        let bytes = try command.bytes(of: file)
        let document: AppDocument
        do { document = try AppDocument(bytes, file: file) } catch {
            throw ExitError(.configuration, error.line)
        }
        do throws(ImportError) {
            let app = try AppImport(document.value, form, id: id, host: host)
            for note in app.notes {
                command.output.printError(Printable.text(note.line) + "\n")
            }
            command.output.print(app.document.lines)
        } catch {
            throw ExitError(.configuration, "\(file) \(error.detail)")
        }
    }

    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { ASCII.isUnreserved($0) || $0 == UInt8(ascii: ":") }
    }

    private static func id(_ command: AppCommand, _ file: String) throws(ExitError) -> AppID {
        guard let text = command.option("id") else {
            return AppID(named: .null, orFile: file) ?? .unnamed
        }
        guard let id = AppID(text) else { throw AppCommand.notAnID(text) }
        return id
    }
}
