package import JSON

/// A command that a guard holds back until its facts are set.
package struct PendingCommand: Equatable, Sendable {
    /// The guard that holds the command back.
    package var guardName: GuardName
    /// The command as a batch would contain it: the member `command` first, and the active
    /// container replaced by its id.
    package var command: JSONObject
    /// The sheet or entry that was shown instead, or nil if that was the root of a tab.
    package var entry: EntryID?

    package init(guardName: GuardName, command: JSONObject, entry: EntryID?) {
        self.guardName = guardName
        self.command = command
        self.entry = entry
    }
}

/// How an event changes the pending command.
package enum PendingChange: Equatable, Sendable {
    case set(PendingCommand)
    case dropped
}
