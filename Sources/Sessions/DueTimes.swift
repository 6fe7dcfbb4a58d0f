public import Bytes
internal import JSON
public import Navigation

/// The newest record's statement on the time at which something is due in its session by
/// itself. Most records say nothing.
public struct DueTimes: Equatable, Sendable {
    /// After how many seconds without a change the idle command is carried out; 0 if it is not
    /// before the next change. Nil if the app decides.
    public var idleSeconds: Int?
    /// When the first of the sheets expires. Nil if none of them does.
    public var sheetsExpireAt: Milliseconds?

    public init(idleSeconds: Int? = nil, sheetsExpireAt: Milliseconds? = nil) {
        self.idleSeconds = idleSeconds
        self.sheetsExpireAt = sheetsExpireAt
    }

    /// The record says nothing.
    public static var none: DueTimes { DueTimes() }

    /// Whether the record says nothing.
    public var isEmpty: Bool { idleSeconds == nil && sheetsExpireAt == nil }
}

/// A session in which something is due.
public struct DueSession: Equatable, Sendable {
    /// The id of the session.
    public var id: SessionID
    /// Whether its idle command may be due. It is not if it has made the newest revision.
    public var mayBeIdle: Bool

    public init(id: SessionID, mayBeIdle: Bool) {
        self.id = id
        self.mayBeIdle = mayBeIdle
    }
}

extension Session {
    /// The times that a record of this revision has.
    ///
    /// - Parameter isIdle: whether the idle command has made the revision. It is not carried out
    ///   again before the next change.
    public func dueTimes(isIdle: Bool) -> DueTimes {
        var times = DueTimes(idleSeconds: isIdle ? 0 : settings.idle?.seconds)
        if !state.sheets.isEmpty { times.sheetsExpireAt = state.firstExpiry?.at }
        return times
    }
}

extension ByteWriter {
    /// Appends a member that says when something is due.
    public mutating func member(_ name: StaticString, _ due: DueTimes) {
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
