internal import Bytes
internal import HTTP
internal import JSON

/// A revision of the Model Context Protocol.
enum ProtocolRevision: String, CaseIterable, Sendable {
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// The revision of a request that names none, such as `initialize`.
    static let unnamed = ProtocolRevision.june2025
    /// The newest revision that begins with `initialize`.
    static let newestWithInitialize = ProtocolRevision.november2025

    /// Whether every request says in `_meta` and in header fields what it is, and there is no
    /// `initialize`.
    var isStateless: Bool { self == .july2026 }

    /// The names of all revisions, the newest first.
    static let names: [String] = allCases.reversed().map(\.rawValue)
}

/// Finds out which revision of the protocol a message speaks, and checks what a stateless request
/// says twice, in its header fields and in its body.
struct RevisionCheck {
    /// The request that the message came with.
    let http: Request

    /// The revision that the header field names; without the field, the oldest one.
    func revisionOfField() throws(RPCError) -> ProtocolRevision {
        guard http[.mcpProtocolVersion] != nil else { return .unnamed }
        let name = http.value(of: .mcpProtocolVersion) ?? ""
        if let revision = ProtocolRevision(named: name) { return revision }
        throw .unsupported(name.clipped)
    }

    /// The revision of a request.
    func revision(of request: RPCRequest) throws(RPCError) -> ProtocolRevision {
        if Self.isStateless(request) { return try stateless(request) }
        let revision = try revisionOfField()
        return revision.isStateless ? try stateless(request) : revision
    }

    /// Whether the request describes itself, as in the stateless revisions.
    static func isStateless(_ request: RPCRequest) -> Bool {
        if case .object(let meta)? = request.params["_meta"] { return meta.contains(versionKey) }
        return false
    }

    private static let versionKey = "io.modelcontextprotocol/protocolVersion"
    private static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
    private static let clientKey = "io.modelcontextprotocol/clientInfo"

    private func stateless(_ request: RPCRequest) throws(RPCError) -> ProtocolRevision {
        let name = try nameInMeta(of: request)
        try check(.mcpProtocolVersion, says: name)
        try check(.mcpMethod, says: request.method)
        if let named = request.named { try check(.mcpName, says: named) }
        guard let revision = ProtocolRevision(named: name), revision.isStateless else {
            throw .unsupported(name.clipped)
        }
        return revision
    }

    /// The revision that `_meta` names, which must have all that is required of it.
    private func nameInMeta(of request: RPCRequest) throws(RPCError) -> String {
        guard case .object(let meta)? = request.params["_meta"] else {
            throw .invalidParams("params._meta must be an object with \(Self.versionKey).")
        }
        guard case .string(let name)? = meta[Self.versionKey] else {
            throw .invalidParams("params._meta must have \(Self.versionKey), a string.")
        }
        guard case .object? = meta[Self.capabilitiesKey] else {
            throw .invalidParams("params._meta must have \(Self.capabilitiesKey), an object.")
        }
        guard let client = meta[Self.clientKey] else { return name }
        guard case .object(let info) = client, case .string? = info["name"],
            case .string? = info["version"]
        else {
            throw .invalidParams("\(Self.clientKey) must be an object with name and version.")
        }
        return name
    }

    /// Checks that a header field repeats what the body says.
    private func check(_ field: Field, says expected: String) throws(RPCError) {
        guard let value = http.value(of: field) else {
            throw .headerMismatch("The header field \(field.name) is missing.")
        }
        guard let plain = Self.decoded(value), plain == expected else {
            throw .headerMismatch(
                "The header field \(field.name) does not say the same as the body.")
        }
    }

    /// The value of a field, which a client that must not send it as it is wraps in Base64:
    /// `=?base64?…?=`. Returns nil for a wrapped value that is not Base64 of UTF-8.
    private static func decoded(_ value: String) -> String? {
        let (start, end) = ("=?base64?", "?=")
        guard value.hasPrefix(start), value.hasSuffix(end),
            value.utf8.count >= start.utf8.count + end.utf8.count
        else { return value }
        let text = String(value.dropFirst(start.count).dropLast(end.count))
        return Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension RPCRequest {
    /// The name in a call or a read, which `Mcp-Name` repeats. Nil for other methods, and if the
    /// member is missing or not a string, which is refused later.
    fileprivate var named: String? {
        let member: String
        switch AgentMethod(named: method) {
        case .callTool: member = "name"
        case .readResource: member = "uri"
        case .initialize, .ping, .discover, .listTools, .listResources, .listResourceTemplates, nil:
            return nil
        }
        if case .string(let name)? = params[member] { return name }
        return nil
    }
}
