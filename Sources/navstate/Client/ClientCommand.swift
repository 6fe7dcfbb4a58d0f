internal import API
internal import AppTools
internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

/// A command that is a request to a running server, or some requests. The rows of
/// `Subcommand.client` name its functions.
struct ClientCommand {
    let words: ClientWords
    let configuration: Configuration
    let printer: ClientPrinter
    let context: CommandContext
    let client: ServerClient
    private let subcommand: Subcommand

    /// The options that matter to these commands.
    static let options = OptionGroup.client.options.map(\.name) + ["token", "token-file"]

    /// Whether the command line says how long to wait.
    let hasTimeout: Bool

    /// - Parameter script: the command that carries it out, with its server and its printer.
    /// - Throws: a `usage` error for a command line that is wrong.
    init(_ context: CommandContext, of script: ClientCommand? = nil) throws(ExitError) {
        self.context = context
        subcommand = context.invocation.subcommand
        words = try ClientWords(subcommand, context.invocation.arguments)
        let world = context.world.keeping(Self.options)
        let resolution = try Resolution(context.invocation.options, world)
        configuration = resolution.configuration
        hasTimeout = resolution.origins["timeout"] == .commandLine
        client =
            if let script { script.client } else { try ServerClient(resolution, context.world) }
        printer =
            script?.printer
            ?? ClientPrinter(context.output, printsJSON: configuration.client.printsJSON)
    }

    /// The value of an option of this command line, if it is given.
    func option(_ name: String) -> String? { configuration.ofCommand[ExactString(name)] }

    /// Whether a flag of this command line is given.
    func flag(_ name: String) -> Bool {
        option(name).flatMap(OptionValue<Bool>.flag.parse) ?? false
    }

    // MARK: - Requests

    /// Sends a request and returns the document of the response.
    ///
    /// - Parameters:
    ///   - source: the file that the request has, for the places of faults.
    ///   - client: the server; by default that of the options.
    /// - Throws: a `refused` error if the server refuses the request, after the problem was
    ///   printed; an `unavailable` error if there is no response.
    func call(
        _ request: ClientRequest, of source: AppDocument? = nil, by client: ServerClient? = nil
    ) throws(ExitError) -> JSON {
        let response = try (client ?? self.client).response(to: request)
        let document = Self.document(response.body)
        guard (200..<300).contains(response.head.statusCode) else {
            printer.printRefusal(response.head, document, of: source)
            throw ExitError(.refused, "")
        }
        if response.head.statusCode == 204 { return .null }
        guard let document else {
            throw ExitError(
                .unavailable,
                "\(self.client.address): the response is not JSON; is it navstate?")
        }
        return document
    }

    /// The JSON of a response, or nil if it is not JSON.
    static func document(_ body: [UInt8]) -> JSON? {
        var limits = JSONLimits.stored
        limits.valuesMax = 8_000_000
        return try? JSON(parsing: body, limits: limits)
    }

    /// The request that the words make.
    ///
    /// - Parameter file: the body, if it is a file.
    func request(
        _ operation: Operation, of file: AppDocument? = nil
    ) throws(ExitError) -> ClientRequest {
        let method = try Endpoint.required(operation).method
        var own = try words.own(operation)
        let hasBody = ![.get, .delete].contains(method)
        if !hasBody { for item in words.members.items { own.append(item.key, item.value) } }
        var query = hasBody ? try Members([]) : own
        if flag("dry-run") { query.append("dryRun", .bool(true)) }
        var request = ClientRequest(method.name, try words.path(operation) + query.query)
        if hasBody { request.body = if let file { file.bytes } else { try body(own).bytes } }
        return request
    }

    private func body(_ own: Members) throws(ExitError) -> JSONObject {
        var body = JSONObject()
        try own.add(to: &body)
        if let name = subcommand.words.enclosingMember {
            var inner = JSONObject()
            try words.members.add(to: &inner)
            if !inner.isEmpty { body.append(name, .object(try typed(inner, as: name))) }
        } else {
            try words.members.add(to: &body)
        }
        try Members(configuration.client.members).add(to: &body)
        let hidden = configuration.client.hiddenTabs
        if !hidden.isEmpty { body.append("hidden", .array(hidden.map(JSON.string))) }
        return body
    }

    /// The document that the word `FILE` names, or is.
    func file() throws(ExitError) -> AppDocument? {
        guard let word = words["FILE"] else { return nil }
        let isJSON = word.hasPrefix("{")
        let bytes = isJSON ? Array(word.utf8) : try context.world.document(word)
        do { return try AppDocument(bytes, file: isJSON ? "FILE" : word) } catch {
            throw ExitError(.usage, error.line)
        }
    }

    // MARK: - Commands

    /// Sends the request of a command that has a single one, and prints the result.
    func perform() throws(ExitError) {
        let (result, form) = try result()
        printer.print(result, as: form, of: context.argument)
    }

    /// The result of a command that is a single request, and how it is printed.
    ///
    /// - Parameter ids: ids of entries that have others in their places.
    func result(
        replacing ids: EntryIDs = EntryIDs()
    ) throws(ExitError) -> (result: JSON, form: ResultForm) {
        guard let operation = subcommand.operations.first else { return (.null, .document) }
        let file = try file()
        var request = try request(operation, of: file)
        if !ids.isEmpty, let body = request.body.flatMap(Self.document) {
            request.body = ids.applied(to: body).bytes
        }
        return (try call(request, of: file), subcommand.form)
    }

    /// Prints the ids of all sessions, page by page. With a limit there is one page.
    func printIDs() throws(ExitError) {
        var cursor: String?
        let first = try words.own(.listSessions).items + words.members.items
        let hasLimit = first.contains { $0.key == "limit" }
        while true {
            var parameters = try Members([])
            for item in first { parameters.append(item.key, item.value) }
            if !hasLimit { parameters.append("limit", .integer(1000)) }
            if let cursor { parameters.append("cursor", .string(cursor)) }
            let path = try words.path(.listSessions)
            let list = try call(ClientRequest("GET", path + parameters.query))
            let ids = (list["sessions"]?.items ?? []).compactMap { $0["id"]?.string }
            context.output.print(ids.compactMap { SessionID($0) }.map { "\($0)\n" }.joined())
            // A cursor that does not advance would never end.
            guard let next = list["next"]?.string, !hasLimit, cursor ?? "" < next else { return }
            cursor = next
        }
    }

    /// Follows the live stream of a session, or of all sessions.
    func watch() throws(ExitError) {
        guard let operation = subcommand.operations.first else { return }
        var watch = Watch(
            try request(operation).target, client, printer: printer,
            ending: [context.output.descriptor])
        // A stream with a limit ends there; without this, it would be opened again.
        let limit = words.members.items.first { $0.key == "limit" }
        var left = limit.flatMap { Int($0.value.plainText) }
        try watch.run { event in
            printer.print(event, namesSession: operation == .allEvents)
            if event.isCounted { left = left.map { $0 - 1 } }
            return left != 0
        }
    }

    /// Lists, creates or revokes the tokens of a session.
    func changeTokens() throws(ExitError) {
        let (verb, word) = (words["create|revoke"], words["SCOPE|TOKEN"] ?? "")
        if verb != "create", let member = words.members.items.first {
            throw ExitError(.usage, "\(member.key.clipped): only tokens ID create has members")
        }
        switch verb {
        case nil:
            printer.print(
                try call(ClientRequest("GET", try words.path(.listTokens))), as: subcommand.form)
        case "create"?:
            var body: JSONObject = ["scope": .string(word)]
            try words.members.add(to: &body)
            let path = try words.path(.createToken)
            printer.print(
                try call(ClientRequest("POST", path, body: JSON.object(body).bytes)),
                as: .member("token"))
        case "revoke"? where !word.isEmpty:
            _ = try call(ClientRequest("DELETE", try words.path(.revokeToken)))
            if !printer.printsJSON { printer.print(line: "revoked the token \(word)") }
        case let other?:
            throw ExitError(
                .usage,
                "\(other.clipped): give create SCOPE or revoke TOKEN; usage: navstate "
                    + subcommand.usage)
        }
    }
}
