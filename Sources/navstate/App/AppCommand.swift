internal import API
internal import AppTools
internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import POSIX

/// A command about the document of an app. It asks no server, unless `--server` is on its command
/// line: then the words that name a document are ids of apps there.
struct AppCommand {
    let output: Output
    /// Whether findings and results are JSON.
    let printsJSON: Bool
    private let words: [(word: WordList.Word, text: String)]
    private let configuration: Configuration
    private let world: Resolution.World
    /// The server that has the documents, if one is named.
    private let client: ServerClient?

    /// - Throws: a `usage` error for a command line that is wrong.
    init(_ context: CommandContext) throws(ExitError) {
        let invocation = context.invocation
        output = context.output
        (words, _) = try invocation.subcommand.named(invocation.arguments)
        world = context.world
        let resolution = try Resolution(
            invocation.options, world.keeping(ClientCommand.options))
        configuration = resolution.configuration
        printsJSON = configuration.client.printsJSON ?? false
        client =
            resolution.origins["server"] == .commandLine
            ? try ServerClient(resolution, world) : nil
    }

    /// The first word of that name; empty without one.
    func word(_ name: String) -> String { all(name).first ?? "" }

    /// All words of that name.
    func all(_ name: String) -> [String] { words.filter { $0.word.name == name }.map(\.text) }

    /// The value of an option, if it is given.
    func option(_ name: String) -> String? { configuration.ofCommand[ExactString(name)] }

    /// Whether a flag is given.
    func flag(_ name: String) -> Bool {
        option(name).flatMap(OptionValue<Bool>.flag.parse) ?? false
    }

    // MARK: - Documents

    /// The bytes of a file, of standard input, or of an app on the server.
    ///
    /// - Throws: a `configuration` error if the file cannot be read.
    func bytes(of word: String) throws(ExitError) -> [UInt8] {
        if let client { return try bytes(of: word, from: client) }
        do {
            return try world.document(word)
        } catch {
            throw ExitError(.configuration, error.message)
        }
    }

    private func bytes(
        of word: String, from client: ServerClient
    ) throws(ExitError) -> [UInt8] {
        guard let id = AppID(word) else { throw Self.notAnID(word) }
        let answer = try client.response(to: ClientRequest("GET", id.target))
        guard answer.head.statusCode == 200 else {
            ClientPrinter(output, printsJSON: printsJSON)
                .printRefusal(answer.head, ClientCommand.document(answer.body))
            throw ExitError(.refused, "")
        }
        return answer.body
    }

    static func notAnID(_ word: String) -> ExitError {
        ExitError(.usage, "\(word.clipped) is not the id of an app: it \(nameRule(AppID.self))")
    }

    /// Checks a document as a server does that is to store it.
    ///
    /// - Returns: the findings, and the app unless there are errors.
    func check(_ word: String) throws(ExitError) -> (check: AppCheck, app: CheckedDocument?) {
        let bytes = try bytes(of: word)
        let document: AppDocument
        do { document = try AppDocument(bytes, file: word) } catch {
            return (AppCheck(error), nil)
        }
        let report = CheckedApp.report(
            document.value, named: AppID(named: document.value, orFile: word) ?? .unnamed)
        let check = AppCheck(document, report)
        guard let app = report.app, !check.fails(isStrict: false) else { return (check, nil) }
        return (check, CheckedDocument(document: document, app: app))
    }

    /// The document that the word `FILE` names. Errors in it are printed.
    ///
    /// - Throws: a `configuration` error if there are errors.
    func document() throws(ExitError) -> CheckedDocument {
        let (check, app) = try self.check(word("FILE"))
        guard let app else {
            print(check.findings.filter { $0.severity == .error }, toError: true)
            throw ExitError(.configuration, "")
        }
        return app
    }

    // MARK: - Results

    /// Prints findings, one per line.
    func print(_ findings: [AppFinding], toError: Bool = false) {
        for finding in findings {
            let line = Printable.text(printsJSON ? finding.json.text : finding.line) + "\n"
            toError ? output.printError(line) : output.print(line)
        }
    }
}

/// A document without errors, and the app that it declares.
struct CheckedDocument {
    let document: AppDocument
    let app: App
}

extension AppID {
    /// The id in a document, or the name of its file without `.json`.
    init?(named document: JSON, orFile path: String) {
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        let name = file.hasSuffix(".json") ? String(file.dropLast(".json".count)) : file
        self.init(document["id"]?.string ?? name)
    }

    /// The id of a document that has none.
    static let unnamed = AppID(trusted: "app")

    /// The path of the app.
    var target: String { "/v1/apps/\(PercentCoding.encode(rawValue))" }
}

extension Resolution.World {
    /// The bytes of a file, or of standard input for `-`.
    func document(_ path: String) throws(ExitError) -> [UInt8] {
        guard path == "-" else { return try bytes(path) }
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let input = try FileDescriptor.open("/dev/stdin", .readOnly)
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while let count = try input.read(into: &buffer, 0..<buffer.count), count > 0 {
                bytes += buffer[..<count]
                guard bytes.count <= Self.inputBytesMax else {
                    throw SystemError(
                        "read", number: SystemError.invalidArgument,
                        explanation: "is larger than 16 MiB")
                }
            }
        } catch {
            throw ExitError(.usage, "standard input: \(error.text)")
        }
        return bytes
    }

    private static let inputBytesMax = 16 << 20
}
