internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

/// The outcome of a command.
public struct Outcome: Sendable {
    /// Whether the session has a new revision.
    public var changed: Bool { answer.changed }
    /// Why nothing changed, in the words of the API.
    public var reason: String? { answer.reason?.rawValue }
    /// The guard that holds the command back, if one does.
    public var heldBy: String? { answer.guarded.held?.rawValue }
    /// The ids of new entries and sheets.
    public var added: [String] { answer.added.map { $0.description } }
    /// The ids of entries and sheets that are gone.
    public var removed: [String] { answer.removed.map { $0.description } }
    /// The body of the API's response.
    public let json: String
    /// The event as streams and the history have it, or nil if nothing changed.
    public let event: String?
    private let answer: Answer

    /// - Parameter state: the session as JSON.
    init(_ change: RequestedChange, _ state: [UInt8]) {
        answer = change.answer
        var body = state
        if change.isCommand {
            var text = ByteWriter()
            EventText.append(answer, to: &text)
            text.member("session")
            body = text.finish() + state + [UInt8(ascii: "}")]
        } else {
            body.removeLast()
            body += EventText.losses(change.cause.losses) + [UInt8(ascii: "}")]
        }
        json = String(decoding: body, as: UTF8.self)
        var text = ByteWriter()
        EventText.append(
            answer, to: change.cause, by: change.cause.isIdle ? .idle : nil, into: &text)
        event = answer.changed ? text.string : nil
    }
}

/// Why a request was refused. The session is as it was.
public struct Rejection: Error, Equatable, Sendable, CustomStringConvertible {
    let content: ProblemContent

    init(_ content: ProblemContent) { self.content = content }

    /// The last part of the problem's type, such as `unknown-route`.
    public var code: String { content.kind.rawValue }
    /// The status of the response.
    public var status: Int { Int(content.kind.statusCode) }
    /// The fault, and advice.
    public var detail: String { content.detail }
    /// The JSON pointer to the first fault in the body, if there is one.
    public var pointer: String? { content.faults.first?.pointer }
    /// Known names that are similar to an unknown one.
    public var near: [String] { texts("near") }
    /// The routes that are allowed there.
    public var allowed: [String] { texts("allowed") }
    /// The problem with all its members (RFC 9457), apart from those about an HTTP request.
    public var json: String { JSON.object(content.object()).text }
    public var description: String { "\(status) \(code): \(detail)" }

    private func texts(_ name: String) -> [String] {
        guard case .array(let items)? = content.members[name] else { return [] }
        return items.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
