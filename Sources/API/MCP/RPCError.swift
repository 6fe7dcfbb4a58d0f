internal import HTTP
internal import JSON
internal import Navigation

/// An error of JSON-RPC: the message cannot be answered by a result.
struct RPCError: Error, Sendable {
    /// The codes of JSON-RPC and of the Model Context Protocol.
    enum Code: Int64, Sendable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case internalError = -32603
        case resourceNotFound = -32002
        case headerMismatch = -32020
        case unsupportedRevision = -32022
    }

    /// The kind of error.
    let code: Code
    /// The fault, and advice.
    let message: String
    /// More for programs, if there is more.
    var data: JSON?

    init(_ code: Code, _ message: String, data: JSON? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The text that was sent is no message.
    static func invalidRequest(_ message: String) -> RPCError { RPCError(.invalidRequest, message) }

    /// The params are not those of the method.
    static func invalidParams(_ message: String) -> RPCError { RPCError(.invalidParams, message) }

    /// A header field does not repeat what the body says.
    static func headerMismatch(_ message: String) -> RPCError { RPCError(.headerMismatch, message) }

    /// The server does not speak the revision.
    static func unsupported(_ revision: String) -> RPCError {
        let supported = ProtocolRevision.names
        return RPCError(
            .unsupportedRevision,
            "This server speaks the protocol revisions \(supported.joined(separator: ", ")).",
            data: .object([
                "supported": .array(supported.map(JSON.string)), "requested": .string(revision),
            ]))
    }

    /// The body is not JSON.
    init(_ error: JSONSyntaxError) {
        self.init(.parseError, ProblemContent(error).detail)
    }

    /// The error as JSON.
    var object: JSONObject {
        ["code": .integer(code.rawValue), "message": .string(message), "data": data]
    }

    /// The status of the response with the error.
    ///
    /// - Parameter revision: the revision of the request, or nil if the header field names one that
    ///   is unknown.
    func status(in revision: ProtocolRevision?) -> Status {
        switch code {
        case .unsupportedRevision, .headerMismatch: .badRequest
        case .internalError, .resourceNotFound: .ok
        case .methodNotFound: revision?.isStateless == false ? .ok : .notFound
        case .parseError, .invalidRequest, .invalidParams:
            revision?.isStateless == false ? .ok : .badRequest
        }
    }
}
