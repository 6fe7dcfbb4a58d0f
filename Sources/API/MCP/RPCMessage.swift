internal import Bytes
internal import HTTP
internal import JSON

/// The id of a JSON-RPC request, which its answer repeats.
enum RPCID: Sendable {
    case text(String)
    case number(Int64)

    /// Nil for JSON that is no id.
    init?(_ json: JSON) {
        switch json {
        case .string(let text): self = .text(text)
        case .integer(let number): self = .number(number)
        case .double(let value):
            // 1.0 is an integer, too.
            guard let number = Int64(exactly: value) else { return nil }
            self = .number(number)
        case .null, .bool, .array, .object: return nil
        }
    }

    fileprivate func write(to text: inout ByteWriter) {
        switch self {
        case .text(let id): text.append(string: id)
        case .number(let id): text.append(Int(id))
        }
    }
}

/// A JSON-RPC message that has to be answered.
struct RPCRequest: Sendable {
    let id: RPCID
    /// The method name.
    let method: String
    /// Empty if the message has none.
    let params: JSONObject
}

/// A JSON-RPC message.
enum RPCMessage {
    case request(RPCRequest)
    case notification
    /// An answer to a request of the server. The server sends no requests.
    case response
    /// An array of messages, which no revision has that the server speaks.
    case array
    /// The message is refused. The id is nil if the message has no valid one.
    case invalid(RPCError, id: RPCID?)

    /// Reads a message.
    init(_ json: JSON) {
        guard case .object(let object) = json else {
            if case .array = json {
                self = .array
            } else {
                self = .invalid(.invalidRequest("A message must be a JSON object."), id: nil)
            }
            return
        }
        let id = object["id"].flatMap(RPCID.init)
        guard object["jsonrpc"] == .string("2.0") else {
            self = .invalid(.invalidRequest("The member jsonrpc must be \"2.0\"."), id: id)
            return
        }
        guard case .string(let method)? = object["method"] else {
            let isResponse = object.contains("result") || object.contains("error")
            let fault = RPCError.invalidRequest("The member method must be a string.")
            self = isResponse ? .response : .invalid(fault, id: id)
            return
        }
        guard object.contains("id") else {
            self = .notification
            return
        }
        guard let id else {
            self = .invalid(.invalidRequest("The id must be a string or an integer."), id: nil)
            return
        }
        switch object["params"] {
        case nil:
            self = .request(RPCRequest(id: id, method: method, params: JSONObject()))
        case .object(let params):
            self = .request(RPCRequest(id: id, method: method, params: params))
        case .null, .bool, .integer, .double, .string, .array:
            self = .invalid(.invalidParams("The params must be an object."), id: id)
        }
    }
}

/// The answers of JSON-RPC as text.
enum RPCText {
    /// A result.
    ///
    /// - Parameter members: its members, without braces.
    static func result(_ members: [UInt8], to id: RPCID) -> [UInt8] {
        var text = ByteWriter(capacity: members.count + 64)
        text.append(literal: #"{"jsonrpc":"2.0","id":"#)
        id.write(to: &text)
        text.append(literal: #","result":{"#)
        text.append(members)
        text.append(literal: "}}")
        return text.finish()
    }

    /// An error.
    ///
    /// - Parameter id: nil if the request has no valid id.
    static func error(_ error: RPCError, to id: RPCID?) -> [UInt8] {
        var text = ByteWriter()
        text.append(literal: #"{"jsonrpc":"2.0","id":"#)
        if let id { id.write(to: &text) } else { text.append(literal: "null") }
        text.member("error", .object(error.object))
        text.append(UInt8(ascii: "}"))
        return text.finish()
    }
}
