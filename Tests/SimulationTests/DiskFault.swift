import Storage

/// Something that is wrong with the disk for a while.
struct DiskFault: Sendable {
    enum Kind: Sendable {
        /// The calls fail.
        case error(Int32)
        /// The calls take longer, in nanoseconds.
        case slow(Int64)
        /// There is no room for anything that is not reserved.
        case full
        /// The power goes after the first such call during which a sync of the log is due.
        case powerLoss
    }

    var kind: Kind
    var isMeant: @Sendable (Disk.Call) -> Bool
    /// It begins with this call of the life, and ends after so many calls or so much time.
    var from: Int
    var callsMax = Int.max
    var nanoseconds = Int64.max
    /// The power goes at the end of the call, which does nothing. With a slow call everything else
    /// has had its time to act on what is not synced.
    var isLast = false
    var description: String

    private var begun: Int64?
    private var calls = 0

    init(
        _ description: String, _ kind: Kind, from: Int,
        isMeant: @escaping @Sendable (Disk.Call) -> Bool
    ) {
        self.kind = kind
        self.from = from
        self.isMeant = isMeant
        self.description = description
    }

    /// Whether the fault concerns the call, which is counted then.
    mutating func takesPart(in call: Disk.Call, number: Int, now: Int64) -> Bool {
        guard number >= from, calls < callsMax, isMeant(call) else { return false }
        if let begun, now - begun > nanoseconds { return false }
        if begun == nil { begun = now }
        calls += 1
        return true
    }
}
