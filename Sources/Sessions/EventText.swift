public import Bytes
internal import JSON
public import Navigation

/// The JSON of events, as the log stores and streams show them, and of the answers to commands,
/// which have the same members.
///
///     {"command":{"command":"back"},"added":[],"removed":["e8"],"popped":1}
public enum EventText {
    /// The command that made a change.
    public struct Cause {
        /// The name of the command.
        public let command: String
        /// The object with the other members of the command.
        public var body: [UInt8]
        /// The entries that the command dropped because they do not fit the app.
        public var losses: Losses
        /// Whether it is the idle command of the session.
        public var isIdle: Bool

        public init(
            command: String, body: [UInt8] = Array("{}".utf8), losses: Losses = Losses(),
            isIdle: Bool = false
        ) {
            (self.command, self.body) = (command, body)
            (self.losses, self.isIdle) = (losses, isIdle)
        }
    }

    /// The name of the command with which a sheet goes whose time has come.
    public static let expire = "expire"

    /// An event.
    ///
    /// - Parameter author: the name of the token that the request came with, if it has one.
    public static func append(
        _ answer: Answer, to cause: Cause, by author: TokenName?, into text: inout ByteWriter
    ) {
        text.object("command")
        text.object("command")
        text.append(quoting: cause.command)
        if cause.body.count > 2 { text.append(UInt8(ascii: ",")) }
        text.append(cause.body[1...])
        append(added: answer.added, removed: answer.removed, to: &text)
        appendEffects(of: answer, to: &text)
        append(cause.losses, to: &text)
        if let author { text.member("by", plain: author.rawValue) }
        text.append(UInt8(ascii: "}"))
    }

    /// Whether the event is a change of settings, which does not change the navigation.
    public static func isUpdate(_ event: [UInt8]) -> Bool {
        let beginning: StaticString = #"{"command":{"command":"update""#
        return event.span.isSame(as: beginning, in: 0..<beginning.utf8CodeUnitCount)
    }

    /// Appends the beginning of the answer to a change that was stored before.
    ///
    /// - Parameters:
    ///   - event: the stored event.
    ///   - members: the members of the event.
    public static func append(
        remembered event: [UInt8], _ members: [TextMember], to text: inout ByteWriter
    ) {
        text.append(literal: #"{"changed":true"#)
        append(members.filter { $0.name != "command" && $0.name != "by" }, event, to: &text)
    }

    /// The members that say what a restore has moved and dropped, each after a comma.
    public static func losses(_ losses: Losses) -> [UInt8] {
        var text = ByteWriter()
        append(losses, to: &text)
        return text.finish()
    }

    /// The same for a restore that was stored before.
    ///
    /// - Parameters:
    ///   - event: the stored event.
    ///   - members: the members of the event.
    public static func losses(remembered event: [UInt8], _ members: [TextMember]) -> [UInt8] {
        var text = ByteWriter()
        let losses = members.filter {
            $0.name == "dropped" || $0.name == "droppedTabs" || $0.name == "moved"
        }
        append(losses, event, to: &text)
        return text.finish()
    }

    private static func append(
        _ members: [TextMember], _ event: [UInt8], to text: inout ByteWriter
    ) {
        for (name, value) in members {
            text.member(key: name)
            text.append(event[value])
        }
    }

    /// Appends the beginning of the answer to a command: all but the session and the closing brace.
    public static func append(_ answer: Answer, to text: inout ByteWriter) {
        text.object("changed")
        text.append(answer.reason == nil)
        if let reason = answer.reason { text.member("reason", plain: reason.rawValue) }
        append(added: answer.added, removed: answer.removed, to: &text)
        appendEffects(of: answer, to: &text)
    }

    private static func appendEffects(of answer: Answer, to text: inout ByteWriter) {
        append(answer.extra, to: &text)
        if answer.isPlain { return }
        append(answer.guarded, to: &text)
        append(answer.pressed, to: &text)
    }

    private static func append(
        _ pressed: [(dialog: EntryID, button: MarkName)], to text: inout ByteWriter
    ) {
        guard !pressed.isEmpty else { return }
        text.member("pressed")
        text.append(literal: "{")
        for press in pressed {
            text.member(key: press.dialog.description)
            text.append(quoting: press.button.rawValue)
        }
        text.append(literal: "}")
    }

    private static func append(_ guarded: Answer.Guarded, to text: inout ByteWriter) {
        if let resumed = guarded.resumed { text.member("resumed", .object(resumed)) }
        if let held = guarded.held { text.member("held", plain: held.rawValue) }
        if let refused = guarded.refused {
            text.member("refused", .object(ProblemContent(refused).object()))
        }
        if let givenUp = guarded.givenUp { text.member("givenUp", .object(givenUp)) }
        append(Losses(entries: guarded.dropped), to: &text)
    }

    private static func append(
        added: [EntryID], removed: [EntryID], to text: inout ByteWriter
    ) {
        text.member("added", ids: added)
        text.member("removed", ids: removed)
    }

    private static func append(_ extra: Answer.Extra, to text: inout ByteWriter) {
        switch extra {
        case .none: break
        case .popped(let count, let tab):
            text.member("popped", count)
            if let tab { text.member("selected", plain: tab.rawValue) }
        case .undone(let count): text.member("undone", count)
        case .redone(let count): text.member("redone", count)
        case .results(let answers):
            text.member("results")
            text.append(literal: "[")
            for answer in answers {
                text.element()
                append(answer, to: &text)
                text.append(UInt8(ascii: "}"))
            }
            text.append(UInt8(ascii: "]"))
        }
    }

    private static func append(_ losses: Losses, to text: inout ByteWriter) {
        if !losses.moved.isEmpty { append(losses.moved, to: &text) }
        if !losses.entries.isEmpty { append(losses.entries, to: &text) }
        guard !losses.tabs.isEmpty else { return }
        text.member("droppedTabs", .array(losses.tabs.map { .string($0.rawValue) }))
    }

    private static func append(_ moved: [Moved], to text: inout ByteWriter) {
        let items = moved.map { item in
            let id =
                switch item.id {
                case .entry(let id): id.description
                case .tab(let id): id.rawValue
                }
            return JSON.object(
                JSONObject([
                    ("id", .string(id)), ("from", item.from.json), ("route", item.route.json),
                ]))
        }
        text.member("moved", .array(items))
    }

    private static func append(_ dropped: [Dropped], to text: inout ByteWriter) {
        let items = dropped.map { item in
            JSON.object(
                JSONObject([
                    ("id", .string(item.id.text)), ("route", .string(item.route.rawValue)),
                    ("why", .string(item.why.rawValue)),
                ]))
        }
        text.member("dropped", .array(items))
    }
}

/// A member of an object that is still text: its name, and where its value is.
public typealias TextMember = (name: String, value: Range<Int>)
