/// The limits of sessions, apps and commands. Each is an option of the server.
public struct Limits: Equatable, Sendable {
    /// Entries on one path.
    public var pathDepthMax = 256
    /// Tabs of a session or an app.
    public var tabsMax = 32
    /// Labels of a session.
    public var labelsMax = 16
    /// The value of a label in bytes of UTF-8.
    public var labelBytesMax = 256
    /// The text of a badge in bytes of UTF-8.
    public var badgeBytesMax = 32
    /// Sheets stacked over each other.
    public var sheetsMax = 16
    /// The params of one entry as compact JSON.
    public var paramsBytesMax = 64 << 10
    /// A session as compact JSON.
    public var sessionBytesMax = 1 << 20
    /// Commands in a batch.
    public var batchCommandsMax = 100
    /// An `Idempotency-Key` in bytes.
    public var keyBytesMax = 255
    /// Levels of nested arrays and objects in any body.
    public var nestingMax = 64

    /// The values that `nestingMax` may have.
    public static let nestingRange = 8...256
    /// The name of a member of a body in bytes of UTF-8. Names are stored and sent to all clients,
    /// of which some compare them in time that grows with the square of their length.
    public static let memberNameBytesMax = 255
    /// Detents of one sheet: a handful of system ones and a few of the app.
    public static let detentsMax = 16
    /// The tag of a sheet or a detent in bytes, as long as a name.
    public static let tagBytesMax = 64
    /// A hundred years, which can be added to any time without an overflow.
    public static let ttlSecondsMax = 3_155_760_000

    /// The time after which a sheet goes by itself: a week.
    public static let sheetSecondsMax = 604_800

    /// Facts that an app declares.
    public static let factsMax = 32
    /// The value of a fact as compact JSON.
    public static let factBytesMax = 4 << 10

    /// The names and titles of the visible screen as JSON, in bytes.
    private static let visibleBytesMax = 4 << 10

    public init() {}

    /// The limits of the body of a restore. Params are four levels deeper in a session than in the
    /// command that gave them, and the session has to fit.
    public var ofRestore: Limits {
        var limits = self
        limits.nestingMax += 4
        return limits
    }

    /// Whether a session can be so large as JSON.
    ///
    /// A change that only removes screens is not refused because of the size: afterwards `visible`
    /// shows another screen, whose params may be longer than all that was removed. The session may
    /// also have been made with larger limits.
    ///
    /// - Parameter former: its length before the change.
    public func allows(
        sessionBytes count: Int, former: @autoclosure () -> Int, after answer: Answer
    ) -> Bool {
        if count <= sessionBytesMax { return true }
        guard answer.added.isEmpty, !answer.removed.isEmpty else { return false }
        return count <= max(sessionBytesMax + paramsBytesMax + Self.visibleBytesMax, former())
    }

    /// The limits for reading stored apps and sessions, which were checked when they were stored.
    public static var ofStoredApps: Limits {
        var limits = Limits()
        (limits.tabsMax, limits.pathDepthMax) = (.max, .max)
        (limits.batchCommandsMax, limits.badgeBytesMax) = (.max, .max)
        return limits
    }
}
