import FoundationEssentials
import JSON
import NATS
import Testing

/// The result of parsing one operation, in a form that does not depend on its position.
enum Outcome: Equatable, Sendable {
    case info(ServerInfo)
    case message(Summary)
    case ping, pong, ok
    case error(String)
    case refused(FrameError)
    /// The input ends within an operation.
    case more
}

/// A message as text, for comparison.
struct Summary: Equatable, Sendable {
    var subject: String
    var subscription: Int
    var reply: String?
    var headers: [String]?
    var payload: String

    init(_ message: Message) {
        subject = String(decoding: message.subjectBytes, as: UTF8.self)
        subscription = message.subscription.number
        reply = message.reply.map { String(decoding: $0, as: UTF8.self) }
        payload = String(decoding: message.content, as: UTF8.self)
        do throws(HeaderError) {
            headers = try message.headers().map { headers in
                let status = headers.status.map { "\($0.code) \($0.text)" } ?? ""
                let names = ["N", "Nats-Sequence", "Nats-Subject", "Nats-Last-Consumer", "x"]
                return [status] + names.compactMap { headers.text($0) }
            }
        } catch {
            headers = ["\(error)"]
        }
    }
}

/// Parses the bytes as they arrive: up to each cut, and then up to the end. Each time the rest is
/// at a different position in the buffer, with junk around it.
func outcomes(
    _ bytes: [UInt8], cuts: [Int] = [], limits: ProtocolLimits = ProtocolLimits()
) -> [Outcome] {
    var parser = FrameParser(limits: limits)
    var (start, found): (Int, [Outcome]) = (0, [])
    for (turn, end) in (cuts + [bytes.count]).enumerated() {
        parsing: while true {
            let shift = turn % 3
            let buffer = Array(repeating: 10, count: shift) + bytes[start..<end] + [13, 10, 43]
            switch parser.parse(buffer, from: shift, to: shift + end - start) {
            case .needsMore(let wanted):
                #expect(wanted > end - start)
                break parsing
            case .refused(let error): return found + [.refused(error)]
            case .frame(let frame, let consumed):
                start += consumed
                found.append(outcome(frame))
            }
        }
    }
    return start == bytes.count ? found : found + [.more]
}

private func outcome(_ frame: Frame) -> Outcome {
    switch frame {
    case .info(let info): .info(info)
    case .message(let message): .message(Summary(message))
    case .ping: .ping
    case .pong: .pong
    case .ok: .ok
    case .error(let text): .error(text)
    }
}

/// The outcomes of the whole input. Records an issue if they differ when the input is split at any
/// byte, or arrives byte by byte.
@discardableResult
func judge(
    _ bytes: [UInt8], limits: ProtocolLimits = ProtocolLimits(),
    _ location: SourceLocation = #_sourceLocation
) -> [Outcome] {
    let expected = outcomes(bytes, limits: limits)
    for cut in bytes.indices {
        let found = outcomes(bytes, cuts: [cut], limits: limits)
        #expect(found == expected, "cut at \(cut)", sourceLocation: location)
    }
    let single = outcomes(bytes, cuts: Array(bytes.indices), limits: limits)
    #expect(single == expected, "byte by byte", sourceLocation: location)
    return expected
}

func judge(_ text: String, _ location: SourceLocation = #_sourceLocation) -> [Outcome] {
    judge(Array(text.utf8), location)
}

/// The message at the beginning of the bytes.
func message(_ bytes: [UInt8]) throws -> Message {
    var parser = FrameParser()
    guard case .frame(.message(let message), _) = parser.parse(bytes, from: 0, to: bytes.count)
    else { throw BodyError.notAnObject }
    return message
}

func message(_ text: String) throws -> Message { try message(Array(text.utf8)) }

/// A message with a header block and a payload.
func message(headers: String, payload: String = "", reply: String = "") throws -> Message {
    let size = headers.utf8.count
    return try message(
        "HMSG a.b 1 \(reply) \(size) \(size + payload.utf8.count)\r\n\(headers)\(payload)\r\n")
}

/// A message with a JSON body.
func message(body: String) throws -> Message {
    try message("MSG a.b 1 \(body.utf8.count)\r\n\(body)\r\n")
}

/// The messages of a real server, by the names in `record.py`.
enum Transcript {
    static let answers: [String: [UInt8]] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "fixtures/nats/transcript.json")
        guard let data = try? Data(contentsOf: file),
            case .object(let members) = try? JSON(parsing: Array(data))
        else { return [:] }
        let pairs = members.members.compactMap { member -> (String, [UInt8])? in
            guard case .string(let text) = member.value else { return nil }
            return (member.key, Array(text.utf8))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    static func bytes(_ name: String) throws -> [UInt8] { try #require(answers[name]) }

    static func frames(_ name: String) throws -> [Frame] {
        let bytes = try bytes(name)
        var (parser, start, frames) = (FrameParser(), 0, [Frame]())
        while start < bytes.count {
            guard
                case .frame(let frame, let consumed) = parser.parse(
                    bytes, from: start, to: bytes.count)
            else { throw BodyError.notAnObject }
            frames.append(frame)
            start += consumed
        }
        return frames
    }

    static func messages(_ name: String) throws -> [Message] {
        try frames(name).compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    static func message(_ name: String) throws -> Message {
        try #require(try messages(name).first)
    }

    static func info(_ name: String) throws -> ServerInfo {
        guard case .info(let info) = try frames(name).first else { throw BodyError.notAnObject }
        return info
    }
}
