package import Bytes
internal import JSON
package import Navigation

/// The newest record's statement on the time at which something is due in its session by
/// itself. Most records say nothing.
package struct DueTimes: Equatable, Sendable {
    /// After how many seconds without a change the idle command is carried out; 0 if it is not
    /// before the next change. Nil if the app decides.
    package var idleSeconds: Int?
    /// When the first of the sheets expires. Nil if none of them does.
    package var sheetsExpireAt: Milliseconds?

    package init(idleSeconds: Int? = nil, sheetsExpireAt: Milliseconds? = nil) {
        self.idleSeconds = idleSeconds
        self.sheetsExpireAt = sheetsExpireAt
    }

    /// The record says nothing.
    package static var none: DueTimes { DueTimes() }

    /// Whether the record says nothing.
    package var isEmpty: Bool { idleSeconds == nil && sheetsExpireAt == nil }
}

/// A session in which something is due.
package struct DueSession: Equatable, Sendable {
    /// The id of the session.
    package var id: SessionID
    /// Whether its idle command may be due. It is not if it has made the newest revision.
    package var mayBeIdle: Bool

    package init(id: SessionID, mayBeIdle: Bool) {
        self.id = id
        self.mayBeIdle = mayBeIdle
    }
}

extension Session {
    /// The times that a record of this revision has.
    ///
    /// - Parameter isIdle: whether the idle command has made the revision. It is not carried out
    ///   again before the next change.
    package func dueTimes(isIdle: Bool) -> DueTimes {
        var times = DueTimes(idleSeconds: isIdle ? 0 : settings.idle?.seconds)
        if !state.sheets.isEmpty { times.sheetsExpireAt = state.firstExpiry?.at }
        return times
    }
}

extension ByteWriter {
    /// Appends a member that says when something is due.
    package mutating func member(_ name: StaticString, _ due: DueTimes) {
        member(name)
        append(literal: "{")
        if let seconds = due.idleSeconds {
            member(key: "idle")
            append(seconds)
        }
        if let time = due.sheetsExpireAt {
            member(key: "sheet")
            append(Int(time))
        }
        append(literal: "}")
    }
}
