package import JSON

/// A command that a guard holds back until its facts are set.
///
/// It is behind a reference: few sessions have one, and every change copies the session.
package struct PendingCommand: Equatable, Sendable {
    private final class Content: Sendable {
        let guardName: GuardName
        let command: JSONObject
        let entry: EntryID?

        init(guardName: GuardName, command: JSONObject, entry: EntryID?) {
            self.guardName = guardName
            self.command = command
            self.entry = entry
        }
    }

    private let content: Content

    package init(guardName: GuardName, command: JSONObject, entry: EntryID?) {
        content = Content(guardName: guardName, command: command, entry: entry)
    }

    /// The guard that holds the command back.
    package var guardName: GuardName { content.guardName }
    /// The command as a batch would contain it: the member `command` first, and the active
    /// container replaced by its id.
    package var command: JSONObject { content.command }
    /// The sheet or entry that was shown instead, or nil if that was the root of a tab.
    package var entry: EntryID? { content.entry }

    package static func == (a: PendingCommand, b: PendingCommand) -> Bool {
        a.content === b.content
            || (a.guardName == b.guardName && a.command == b.command && a.entry == b.entry)
    }
}

/// How an event changes the pending command.
package enum PendingChange: Equatable, Sendable {
    case set(PendingCommand)
    case dropped
}
