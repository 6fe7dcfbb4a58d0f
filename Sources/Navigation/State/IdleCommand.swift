internal import Bytes
public import JSON

/// A command that is carried out when a session has not been changed for a while.
///
/// It is behind a reference: few sessions have one of their own, and every change copies the
/// session.
public struct IdleCommand: Equatable, Sendable {
    private final class Content: Sendable {
        let seconds: Int
        let request: CommandRequest
        let object: JSONObject
        let text: [UInt8]

        init(seconds: Int, _ request: CommandRequest, _ object: JSONObject) {
            (self.seconds, self.request, self.object) = (seconds, request, object)
            text = JSON.object(object).bytes
        }
    }

    private let content: Content

    /// - Parameters:
    ///   - seconds: the time without a change.
    ///   - object: the members of the command with its name.
    init(seconds: Int, _ command: Command, _ object: JSONObject) {
        let body = JSONObject(
            object.members.filter { $0.key != "command" }.map { ($0.key, $0.value) })
        let whole = JSONObject([
            ("seconds", .integer(Int64(seconds))), ("command", .object(object)),
        ])
        content = Content(seconds: seconds, CommandRequest(command, body: body), whole)
    }

    /// After how many seconds without a change the command is carried out.
    public var seconds: Int { content.seconds }
    /// The command, and its members without its name.
    public var request: CommandRequest { content.request }
    /// The JSON object with the seconds and the command.
    public var object: JSONObject { content.object }
    /// The same as JSON text.
    public var text: [UInt8] { content.text }

    public static func == (a: IdleCommand, b: IdleCommand) -> Bool {
        a.content === b.content || a.object == b.object
    }

    /// The values of `seconds`.
    static let secondsRange = 1...86_400
    /// The command of a session as compact JSON in bytes, as much as a fact may have.
    static let bytesMax = 4 << 10
}

extension IdleCommand {
    /// Reads the object that a session has stored. Returns nil if it is not one.
    public init?(stored object: JSONObject) {
        var reader = ObjectReader(
            JSONObject([("idle", .object(object))]), at: "", work: .unlimited)
        guard let idle = reader.idle(object, .ofStoredApps, bytesMax: .max) else {
            return nil
        }
        self = idle
    }
}

// MARK: - Reading

extension ObjectReader {
    /// The idle command of a session.
    mutating func idle(_ limits: Limits) -> IdleCommand? {
        object("idle").flatMap { idle($0, limits, bytesMax: IdleCommand.bytesMax) }
    }

    /// The idle command of an app or a session.
    ///
    /// - Parameter bytesMax: the size of the command.
    mutating func idle(_ object: JSONObject, _ limits: Limits, bytesMax: Int) -> IdleCommand? {
        var inner = ObjectReader(object, at: pointer + "/idle", work: work)
        let isTimed = inner.required("seconds") != nil
        let seconds = isTimed ? inner.integer("seconds", in: IdleCommand.secondsRange) : nil
        let command = inner.requiredObject("command")
        inner.refuseUnknown()
        var read: Command?
        if let command {
            if JSON.object(command).bytes.count > bytesMax {
                inner.refuse("command", "must be at most \(bytesMax) bytes as JSON", isLimit: true)
            } else {
                read = inner.idleCommand(command, limits)
            }
        }
        adopt(inner)
        guard inner.faults.isEmpty, let seconds, let command, let read else { return nil }
        return IdleCommand(seconds: seconds, read, command)
    }

    private mutating func idleCommand(_ object: JSONObject, _ limits: Limits) -> Command? {
        do throws(RejectionError) {
            let pointer = pointer + "/command"
            let (name, command) = try Command.named(
                object, at: pointer, limits: limits, work: work, unnamed: [.undo, .redo])
            guard name != .undo, name != .redo else {
                refuse(at: "/command/command", "must not be undo or redo")
                return nil
            }
            return command
        } catch {
            adopt(error)
            return nil
        }
    }

    /// Adds the faults of a command that could not be read.
    private mutating func adopt(_ rejection: RejectionError) {
        if case .invalidRequest(let faults) = rejection {
            adopt(faults)
        } else if case .inBatch(_, let inner) = rejection {
            adopt(inner)
        } else {
            refuse("command", "cannot be read")
        }
    }
}
