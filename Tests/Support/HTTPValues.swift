package import HTTP

extension Request {
    /// Parses one complete message. Returns nil if it is incomplete.
    package static func parsed(
        _ message: [UInt8], limits: ParserLimits = ParserLimits()
    ) throws(MalformedMessageError) -> Request? {
        var parser = RequestParser(limits: limits)
        switch parser.parse(message, from: 0, to: message.count) {
        case .needsMore: return nil
        case .request(let request, _): return request
        case .refused(let error): throw error
        }
    }
}

extension Response {
    /// The value of the first field with this name, nil if there is none.
    package func value(of name: String) -> String? {
        switch name {
        case "Cache-Control": caching?.value
        default: fields.first { $0.name.text == name }?.value
        }
    }
}
