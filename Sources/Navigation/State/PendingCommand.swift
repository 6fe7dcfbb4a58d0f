public import JSON

/// A command that a guard holds back until its facts are set.
///
/// It is behind a reference: few sessions have one, and every change copies the session.
public struct PendingCommand: Equatable, Sendable {
    private final class Content: Sendable {
        let guardName: GuardName
        let command: JSONObject
        let entry: EntryID?
        let isAnswered: Bool

        init(guardName: GuardName, command: JSONObject, entry: EntryID?, isAnswered: Bool) {
            self.guardName = guardName
            self.command = command
            self.entry = entry
            self.isAnswered = isAnswered
        }
    }

    private let content: Content

    public init(
        guardName: GuardName, command: JSONObject, entry: EntryID?, isAnswered: Bool = false
    ) {
        content = Content(
            guardName: guardName, command: command, entry: entry, isAnswered: isAnswered)
    }

    /// The guard that holds the command back.
    public var guardName: GuardName { content.guardName }
    /// The command as a batch would contain it: the member `command` first, and the active
    /// container replaced by its id.
    public var command: JSONObject { content.command }
    /// The sheet or entry that was shown instead, or nil if that was the root of a tab.
    public var entry: EntryID? { content.entry }
    /// Whether the sheet that was shown instead was dismissed with a result. Then the command waits
    /// for the facts that follow from it.
    public var isAnswered: Bool { content.isAnswered }

    /// The same command when what was shown instead is gone.
    ///
    /// - Parameter isAnswered: whether it went with a result.
    func withoutEntry(isAnswered: Bool) -> PendingCommand {
        PendingCommand(
            guardName: guardName, command: command, entry: nil, isAnswered: isAnswered)
    }

    public static func == (a: PendingCommand, b: PendingCommand) -> Bool {
        a.content === b.content
            || (a.guardName == b.guardName && a.command == b.command && a.entry == b.entry
                && a.isAnswered == b.isAnswered)
    }
}
