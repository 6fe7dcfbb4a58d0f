/// How large things may become. Each is an option of the server.
package struct Limits: Equatable, Sendable {
    /// Entries on one path.
    package var pathDepthMax = 256
    package var tabsMax = 32
    package var labelsMax = 16
    package var labelBytesMax = 256
    package var badgeBytesMax = 32
    /// Sheets stacked over each other.
    package var sheetsMax = 16
    /// The params of one entry as compact JSON.
    package var paramsBytesMax = 64 << 10
    /// A session as compact JSON.
    package var sessionBytesMax = 1 << 20
    package var batchCommandsMax = 100
    package var keyBytesMax = 255
    /// Arrays and objects in each other, in any body.
    package var nestingMax = 64

    /// What `nestingMax` may be.
    package static let nestingRange = 8...256
    /// Detents of one sheet: the system knows a handful, an app adds a few.
    package static let detentsMax = 16
    /// A sheet's tag and a detent: as long as a name.
    package static let tagBytesMax = 64
    /// A hundred years: long enough to be for ever, short enough to be added to a date.
    package static let ttlSecondsMax = 3_155_760_000

    package init() {}

    /// For apps that were stored: they were measured then.
    package static var ofStoredApps: Limits {
        var limits = Limits()
        (limits.tabsMax, limits.pathDepthMax) = (.max, .max)
        return limits
    }
}
