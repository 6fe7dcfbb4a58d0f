internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import POSIX

/// The commands that are requests to a running server.
struct ClientCommand {
    private let verb: Verb
    private let words: ClientWords
    private let configuration: Configuration.Client
    private let client: ServerClient
    private let printer: ClientPrinter
    private let world: Resolution.World
    private let output: Output

    /// The options that matter to these commands.
    private static let options =
        OptionGroup.client.options.map(\.name) + ["token", "token-file"]

    /// Runs the command.
    ///
    /// - Throws: a `refused` error if the server refuses the request, after the problem was
    ///   printed; an `unavailable` error if there is no response.
    static func run(
        _ invocation: Invocation, in world: Resolution.World, output: Output
    ) throws(ExitError) {
        try ClientCommand(invocation, in: world, output: output).run()
        if let why = output.failure() {
            throw ExitError(.internalError, "the output cannot be written: \(why)")
        }
    }

    private init(
        _ invocation: Invocation, in world: Resolution.World, output: Output
    ) throws(ExitError) {
        verb = invocation.verb
        words = try ClientWords(verb, invocation.arguments)
        let resolution = try Resolution(invocation.options, world.keeping(Self.options))
        configuration = resolution.configuration.client
        client = ServerClient(
            address: configuration.server, token: try ClientToken.text(resolution, world),
            timeoutMilliseconds: configuration.timeoutMilliseconds)
        printer = ClientPrinter(output, printsJSON: configuration.printsJSON)
        self.world = world
        self.output = output
    }

    private func run() throws(ExitError) {
        switch verb {
        case .ids: try printIDs()
        case .watch:
            guard let session = words.session else { return }
            var watch = Watch(session, client, printer: printer, output: output.descriptor)
            try watch.run()
        case .app: try printer.print(call(storing()), of: verb)
        case .sessions, .show, .create, .apps, .navigate, .back, .root, .present, .dismiss,
            .select, .open, .undo, .redo:
            let request = try ClientRequest(verb, words, with: configuration.members)
            printer.print(try call(request), of: verb)
        case .serve, .demo, .healthcheck, .check, .dump, .restore, .store, .config, .version,
            .openapi,
            .completion, .manpage, .help:
            break
        }
    }

    // MARK: - Requests

    /// Sends a request and returns the document of the response.
    private func call(_ request: ClientRequest) throws(ExitError) -> JSON {
        let response = try client.response(to: request)
        let document = Self.document(response.body)
        guard (200..<300).contains(response.head.statusCode) else {
            printer.printRefusal(response.head, document)
            throw ExitError(.refused, "")
        }
        guard let document else {
            throw ExitError(
                .unavailable, "\(client.address): the response is not JSON; is it navstate?")
        }
        return document
    }

    /// The JSON of a response, or nil if it is not JSON.
    static func document(_ body: [UInt8]) -> JSON? {
        // Params may be nested as deeply as requests may, and are within the session.
        let limits = JSONLimits(nestingMax: 128, valuesMax: 8_000_000, refusesRepeats: false)
        return try? JSON(parsing: body, limits: limits)
    }

    /// Prints the ids of all sessions, page by page. With a limit there is one page.
    private func printIDs() throws(ExitError) {
        var cursor: String?
        while true {
            var parameters = words.members
            if let prefix = words.optional { parameters.append("q", prefix) }
            let hasLimit = parameters.items.contains { $0.key == "limit" }
            if !hasLimit { parameters.append("limit", "1000") }
            if let cursor { parameters.append("cursor", cursor) }
            let list = try call(ClientRequest("GET", "/v1/sessions\(parameters.query)"))
            let ids = (list["sessions"]?.items ?? []).compactMap { $0["id"]?.string }
            output.print(ids.compactMap { SessionID($0) }.map { "\($0)\n" }.joined())
            // A cursor that does not advance would never end.
            guard let next = list["next"]?.string, !hasLimit, cursor ?? "" < next else { return }
            cursor = next
        }
    }

    // MARK: - Apps

    private func storing() throws(ExitError) -> ClientRequest {
        let (action, path) = (words.required[0], words.required[1])
        guard action == "put" else {
            throw ExitError(
                .usage, "unknown action \(action.clipped); usage: navstate \(verb.usage)")
        }
        let text = path == "-" ? try StandardInput.text() : try world.read(path)
        let bytes = Array(text.utf8)
        let document: JSON
        do {
            document = try JSON(parsing: bytes, limits: JSONLimits(valuesMax: 8_000_000))
        } catch {
            throw ExitError(.usage, "\(path): \(error.description)")
        }
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        let name = file.hasSuffix(".json") ? String(file.dropLast(".json".count)) : file
        guard let id = AppID(document["id"]?.string ?? name) else {
            throw ExitError(
                .usage, "\(path): the id of the app is missing or invalid; add the member \"id\"")
        }
        return ClientRequest(putting: bytes, as: id)
    }
}

/// Reads standard input to its end.
private enum StandardInput {
    private static let bytesMax = 16 << 20

    static func text() throws(ExitError) -> String {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let input = try FileDescriptor.open("/dev/stdin", .readOnly)
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while let count = try input.read(into: &buffer, 0..<buffer.count), count > 0 {
                bytes += buffer[..<count]
                guard bytes.count <= bytesMax else {
                    throw SystemError(
                        "read", number: SystemError.invalidArgument,
                        explanation: "is larger than 16 MiB")
                }
            }
        } catch {
            throw ExitError(.usage, "standard input: \(error.text)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
