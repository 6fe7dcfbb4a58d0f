internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import POSIX

/// A command that is a request to a running server. The rows of `Subcommand.client` name its
/// functions.
struct ClientCommand {
    private let subcommand: Subcommand
    private let words: ClientWords
    private let configuration: Configuration.Client
    private let client: ServerClient
    private let printer: ClientPrinter
    private let context: CommandContext

    /// The options that matter to these commands.
    private static let options =
        OptionGroup.client.options.map(\.name) + ["token", "token-file"]

    /// - Throws: a `usage` error for a command line that is wrong.
    init(_ context: CommandContext) throws(ExitError) {
        self.context = context
        subcommand = context.invocation.subcommand
        words = try ClientWords(subcommand, context.invocation.arguments)
        let world = context.world.keeping(Self.options)
        let resolution = try Resolution(context.invocation.options, world)
        configuration = resolution.configuration.client
        client = ServerClient(
            address: configuration.server, token: try ClientToken.text(resolution, context.world),
            timeoutMilliseconds: configuration.timeoutMilliseconds)
        printer = ClientPrinter(context.output, printsJSON: configuration.printsJSON)
    }

    // MARK: - Requests

    /// Sends a request and returns the document of the response.
    ///
    /// - Throws: a `refused` error if the server refuses the request, after the problem was
    ///   printed; an `unavailable` error if there is no response.
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

    // MARK: - Sessions

    func list() throws(ExitError) {
        let request = ClientRequest("GET", "/v1/sessions\(words.members.query)")
        printer.print(try call(request), ClientPrinter.printSessions)
    }

    /// Prints the ids of all sessions, page by page. With a limit there is one page.
    func printIDs() throws(ExitError) {
        var cursor: String?
        while true {
            var parameters = words.members
            if let prefix = words["PREFIX"] { parameters.append("q", prefix) }
            let hasLimit = parameters.items.contains { $0.key == "limit" }
            if !hasLimit { parameters.append("limit", "1000") }
            if let cursor { parameters.append("cursor", cursor) }
            let list = try call(ClientRequest("GET", "/v1/sessions\(parameters.query)"))
            let ids = (list["sessions"]?.items ?? []).compactMap { $0["id"]?.string }
            context.output.print(ids.compactMap { SessionID($0) }.map { "\($0)\n" }.joined())
            // A cursor that does not advance would never end.
            guard let next = list["next"]?.string, !hasLimit, cursor ?? "" < next else { return }
            cursor = next
        }
    }

    func show() throws(ExitError) {
        let request = ClientRequest("GET", try words.sessionPath() + words.members.query)
        printer.print(try call(request), ClientPrinter.draw)
    }

    func create() throws(ExitError) {
        var body = JSONObject()
        if let session = words.session { body.append("id", .string(session.rawValue)) }
        try words.members.add(to: &body)
        let request = ClientRequest("POST", "/v1/sessions", body: JSON.object(body).bytes)
        printer.print(try call(request), ClientPrinter.draw)
    }

    /// Follows the live stream of a session.
    func watch() throws(ExitError) {
        var watch = Watch(
            try words.sessionPath(), client, printer: printer, output: context.output.descriptor)
        try watch.run()
    }

    /// Carries out a command of the API in a session.
    func perform() throws(ExitError) {
        var body = try words.body()
        if subcommand.takesParams {
            var params = JSONObject()
            try words.members.add(to: &params)
            if !params.isEmpty { body.append("params", .object(params)) }
        } else {
            try words.members.add(to: &body)
        }
        try Members(configuration.members).add(to: &body)
        let target = "\(try words.sessionPath())/\(subcommand.name)"
        let request = ClientRequest("POST", target, body: JSON.object(body).bytes)
        printer.print(try call(request), ClientPrinter.printChange)
    }

    // MARK: - Apps

    func listApps() throws(ExitError) {
        printer.print(try call(ClientRequest("GET", "/v1/apps")), ClientPrinter.printApps)
    }

    func storeApp() throws(ExitError) {
        let (action, path) = (words["put"] ?? "", words["FILE"] ?? "")
        guard action == "put" else {
            throw ExitError(
                .usage, "unknown action \(action.clipped); usage: navstate \(subcommand.usage)")
        }
        let text = path == "-" ? try StandardInput.text() : try context.world.read(path)
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
        let target = "/v1/apps/\(PercentCoding.encode(id.rawValue))"
        let result = try call(ClientRequest("PUT", target, body: bytes))
        printer.print(result, ClientPrinter.printStored)
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
