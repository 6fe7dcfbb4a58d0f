import API
import HTTP
import JSON
import Testing

/// Sends messages to `/mcp` as a client of the Model Context Protocol does.
struct Agent {
    let client: Client
    /// The revision in `MCP-Protocol-Version`; nil leaves the field out.
    var revision: String? = "2025-11-25"
    var fields: [String: String] = [:]

    static let stateless = "2026-07-28"
    static let revisions = ["2025-06-18", "2025-11-25", stateless]

    /// The `_meta` of a stateless request.
    static func meta(_ revision: String = stateless) -> String {
        #""_meta":{"io.modelcontextprotocol/protocolVersion":"\#(revision)","#
            + #""io.modelcontextprotocol/clientCapabilities":{}}"#
    }

    @discardableResult
    func send(_ body: String, _ more: [String: String] = [:]) throws -> Client.Answer {
        var all = fields.merging(more) { $1 }
        if let revision, all["MCP-Protocol-Version"] == nil {
            all["MCP-Protocol-Version"] = revision
        }
        return try client.call("POST", "/mcp", body, all)
    }

    /// Sends a request with what the revision asks for.
    ///
    /// - Parameter params: the members of the params.
    func request(
        _ method: String, _ params: String = "", name: String? = nil
    ) throws -> Client.Answer {
        var members = params
        var more: [String: String] = [:]
        if revision == Self.stateless {
            members += (members.isEmpty ? "" : ",") + Self.meta()
            more["Mcp-Method"] = method
            more["Mcp-Name"] = name
        }
        return try send(
            #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{\#(members)}}"#, more)
    }

    /// The result of a call of a tool.
    @discardableResult
    func call(_ tool: String, _ arguments: String = "{}") throws -> JSON {
        let answer = try request(
            "tools/call", #""name":"\#(tool)","arguments":\#(arguments)"#, name: tool)
        return try #require(answer.json["result"], "\(answer.text)")
    }

    /// The result of a call of a tool that succeeds.
    @discardableResult
    func value(_ tool: String, _ arguments: String = "{}") throws -> JSON {
        let result = try call(tool, arguments)
        #expect(result["isError"] == .bool(false), "\(result.text)")
        return try Self.body(of: result)
    }

    /// The problem with which a call of a tool is refused.
    func problem(_ tool: String, _ arguments: String = "{}") throws -> JSON {
        let result = try call(tool, arguments)
        #expect(result["isError"] == .bool(true), "\(result.text)")
        return try Self.body(of: result)
    }

    /// The text of a result as JSON.
    static func body(of result: JSON) throws -> JSON {
        let text = try #require(result["content"]?[0]?["text"]?.string)
        return try JSON(parsing: Array(text.utf8))
    }

    /// The names of the tools that are listed.
    func tools() throws -> [String] {
        let answer = try request("tools/list")
        return (answer.json["result"]?["tools"]?.array ?? []).compactMap { $0["name"]?.string }
    }
}

extension Client.Answer {
    /// The code of an error of JSON-RPC.
    var code: Int? { json["error"]?["code"]?.integer }
}
