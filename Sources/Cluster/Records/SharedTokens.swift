internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

// One message of the subject of a session's tokens: the whole list.
//
//     {"op":"tokens","id":"kiosk-1","at":1795225000412,"born":"0c5a…","prev":7,"by":"8d02…",
//      "elen":0,"crc":"59be0d0c"}
//     (an empty line)
//     [{"id":"t4k","scope":"read","sha256":"ba78…15ad","exp":1795225100000,"at":1795225000000,
//       "name":"wall"}]
//
// `exp`, `at` and `name` may be missing, and so may `commands` and `routes`, the lists of a token
// that has limits. The list belongs to the session that was born with the
// same number, and to no other session of that id.

/// The tokens of a session in a stream.
struct SharedTokens: Equatable, Sendable {
    var id: SessionID
    /// The number that all records of the session have in common.
    var born: UInt64
    /// When the list was written.
    var at: Milliseconds
    var link: SharedLink
    var tokens: [SessionToken]

    var text: [UInt8] {
        var line = ByteWriter(operation: "tokens")
        line.member("id", plain: id.rawValue)
        line.member("at", at)
        line.member("born", hexadecimal: born)
        line.append(link)
        let list = JSON.array(tokens.map { .object(Self.members(of: $0)) })
        return SharedRecordText.seal(line, state: list.bytes)
    }

    private static func members(of token: SessionToken) -> JSONObject {
        var members = JSONObject([
            ("id", .string(token.id)), ("scope", .string(token.scope.rawValue)),
            ("sha256", .string(token.digest.hexadecimal)),
        ])
        if let time = token.expiresAt { members.append("exp", .integer(time)) }
        if let time = token.createdAt { members.append("at", .integer(time)) }
        if let name = token.name { members.append("name", .string(name.rawValue)) }
        if let commands = token.limits?.commands {
            members.append("commands", .array(commands.map { .string($0.name) }))
        }
        if let routes = token.limits?.routes {
            members.append("routes", .array(routes.map { .string($0.text) }))
        }
        return members
    }
}

extension SharedTokens {
    /// More than the values of as many tokens as a session can have, each with as many limits as a
    /// token can have.
    private static let limits = JSONLimits(nestingMax: 4, valuesMax: 20_000)

    /// Reads a message.
    init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        let text = try SharedRecordText(message)
        guard try text.text("op") == "tokens" else { throw .member("op") }
        guard case .array(let items)? = try? JSON(parsing: text.state, limits: Self.limits)
        else { throw .form }
        self.init(
            id: try text.required("id") { SessionID($0) }, born: try text.word("born"),
            at: Milliseconds(try text.number("at")), link: try text.link(), tokens: [])
        for item in items { tokens.append(try Self.token(item)) }
    }

    private static func token(_ item: JSON) throws(SharedRecordError) -> SessionToken {
        guard case .object(let members) = item, case .string(let id)? = members["id"],
            case .string(let scope)? = members["scope"], let scope = Scope(named: scope),
            case .string(let digest)? = members["sha256"],
            let digest = TokenDigest(hexadecimal: Array(digest.utf8))
        else { throw .member("tokens") }
        var token = SessionToken(id: id, scope: scope, digest: digest, expiresAt: nil)
        token.expiresAt = try time(members, "exp")
        token.createdAt = try time(members, "at")
        if let name = members["name"] {
            guard case .string(let name) = name, let name = TokenName(name)
            else { throw .member("name") }
            token.name = name
        }
        token.limits = TokenLimits(
            commands: try list("commands", of: members) { TokenCommand($0) },
            routes: try list("routes", of: members, RouteSelector.init))
        return token
    }

    /// A list of names. Nil if it is missing.
    private static func list<Item>(
        _ member: String, of members: JSONObject, _ read: (String) -> Item?
    ) throws(SharedRecordError) -> [Item]? {
        guard let value = members[member] else { return nil }
        guard case .array(let items) = value else { throw .member(member) }
        var list: [Item] = []
        for item in items {
            guard case .string(let text) = item, let read = read(text) else {
                throw .member(member)
            }
            list.append(read)
        }
        return list
    }

    private static func time(
        _ members: JSONObject, _ name: String
    ) throws(SharedRecordError) -> Milliseconds? {
        guard let value = members[name] else { return nil }
        guard case .integer(let time) = value, time >= 0 else { throw .member(name) }
        return time
    }
}
