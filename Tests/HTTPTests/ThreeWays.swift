import HTTP
import Testing

/// The fate of a message, in a form that does not depend on where it lay.
enum Verdict: Equatable, Sendable {
    case needsMore
    case refused(MalformedMessageError)
    case request(Summary, consumed: Int)

    var summary: Summary? {
        if case .request(let summary, _) = self { summary } else { nil }
    }

    var malformation: MalformedMessageError? {
        if case .refused(let malformation) = self { malformation } else { nil }
    }
}

/// A request as text, to be compared.
struct Summary: Equatable, Sendable {
    var method: Method
    var path: String?
    var query: String?
    var minorVersion: Int
    var keepsAlive: Bool
    var expectsContinue: Bool
    var isAsterisk: Bool
    var host: String?
    var port: UInt16?
    var body: [UInt8]
    var lines: [Field: [String?]]

    init(_ request: Request) {
        method = request.method
        path = request.text(request.path)
        query = request.query.flatMap(request.text)
        minorVersion = request.minorVersion
        keepsAlive = request.keepsAlive
        expectsContinue = request.expectsContinue
        isAsterisk = request.isAsterisk
        host = request.host.flatMap(request.text)
        port = request.port
        body = Array(request.body)
        lines = [:]
        for field in Field.allCases where request[field] != nil {
            lines[field] = request.lines(of: field).map(request.text)
        }
    }
}

/// Lines as they go over the wire: each ends in CR LF, and an empty one comes last.
func wire(_ lines: String..., body: String = "") -> String {
    lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
}

/// A good GET with these field lines between `Host` and the end.
func get(_ lines: String..., target: String = "/") -> String {
    "GET \(target) HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
}

/// A message parsed in one piece.
func whole(_ message: [UInt8], limits: ParserLimits = ParserLimits()) -> Verdict {
    var parser = RequestParser(limits: limits)
    return verdict(parser.parse(message, from: 0, to: message.count))
}

func verdict(_ step: ParserStep) -> Verdict {
    switch step {
    case .needsMore: .needsMore
    case .refused(let malformation): .refused(malformation)
    case .request(let request, let consumed): .request(Summary(request), consumed: consumed)
    }
}

/// The verdict on a message that is whole, cut at every byte, byte by byte, with another request
/// behind it, and lying elsewhere in its buffer; recorded as an issue where they differ.
func judge(
    _ message: String, limits: ParserLimits = ParserLimits(),
    _ location: SourceLocation = #_sourceLocation
) -> Verdict {
    judge(Array(message.utf8), limits: limits, location)
}

func judge(
    _ message: [UInt8], limits: ParserLimits = ParserLimits(),
    _ location: SourceLocation = #_sourceLocation
) -> Verdict {
    let expected = whole(message, limits: limits)
    for cut in message.indices {
        #expect(
            parsed(message, cuts: [cut], limits) == expected, "cut at \(cut)",
            sourceLocation: location)
    }
    #expect(
        parsed(message, cuts: Array(message.indices), limits) == expected, "byte by byte",
        sourceLocation: location)
    if expected != .needsMore {
        let more = message + Array("GET /next HTTP/1.1\r\nHost: n\r\n\r\n".utf8)
        #expect(
            whole(more, limits: limits) == expected, "with bytes behind it",
            sourceLocation: location)
    }
    return expected
}

/// The first verdict that is not "more" when the message grows to each cut and then to its end.
/// Each time it lies somewhere else in a buffer of junk.
func parsed(_ message: [UInt8], cuts: [Int], _ limits: ParserLimits) -> Verdict {
    var parser = RequestParser(limits: limits)
    for (turn, length) in (cuts + [message.count]).enumerated() {
        let shift = turn % 3
        let buffer = Array(repeating: UInt8(0), count: shift) + message[..<length] + [0, 10, 13]
        let result = verdict(parser.parse(buffer, from: shift, to: shift + length))
        if result != .needsMore { return result }
    }
    return .needsMore
}
