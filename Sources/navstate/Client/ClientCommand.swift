internal import AppTools
internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

/// A command that is a request to a running server. The rows of `Subcommand.client` name its
/// functions.
struct ClientCommand {
    let words: ClientWords
    let configuration: Configuration
    let printer: ClientPrinter
    let context: CommandContext
    private let subcommand: Subcommand
    private let client: ServerClient

    /// The options that matter to these commands.
    static let options = OptionGroup.client.options.map(\.name) + ["token", "token-file"]

    /// - Throws: a `usage` error for a command line that is wrong.
    init(_ context: CommandContext) throws(ExitError) {
        self.context = context
        subcommand = context.invocation.subcommand
        words = try ClientWords(subcommand, context.invocation.arguments)
        let world = context.world.keeping(Self.options)
        let resolution = try Resolution(context.invocation.options, world)
        configuration = resolution.configuration
        client = try ServerClient(resolution, context.world)
        printer = ClientPrinter(context.output, printsJSON: configuration.client.printsJSON)
    }

    // MARK: - Requests

    /// Sends a request and returns the document of the response.
    ///
    /// - Throws: a `refused` error if the server refuses the request, after the problem was
    ///   printed; an `unavailable` error if there is no response.
    ///
    /// - Parameter source: the document of an app that the request has, for the places of faults.
    func call(
        _ request: ClientRequest, of source: AppDocument? = nil
    ) throws(ExitError) -> JSON {
        let response = try client.response(to: request)
        let document = Self.document(response.body)
        guard (200..<300).contains(response.head.statusCode) else {
            printer.printRefusal(response.head, document, of: source)
            throw ExitError(.refused, "")
        }
        if response.head.statusCode == 204 { return .null }
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
        if let name = subcommand.enclosingMember {
            var inner = JSONObject()
            try words.members.add(to: &inner)
            if !inner.isEmpty { body.append(name, .object(inner)) }
        } else {
            try words.members.add(to: &body)
        }
        try Members(configuration.client.members).add(to: &body)
        let target = "\(try words.sessionPath())/\(subcommand.name)"
        let request = ClientRequest("POST", target, body: JSON.object(body).bytes)
        printer.print(try call(request), ClientPrinter.printChange)
    }

    // MARK: - Apps

    func listApps() throws(ExitError) {
        printer.print(try call(ClientRequest("GET", "/v1/apps")), ClientPrinter.printApps)
    }
}
