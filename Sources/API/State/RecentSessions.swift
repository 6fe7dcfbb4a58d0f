internal import Navigation
internal import Sessions

/// A session in memory: kept decoded, or being changed.
final class RecentSession {
    var session: Session
    /// The session fits every version of its app that was stored before this number.
    var fitsBefore: SequenceNumber
    /// The length of the session's JSON.
    var jsonBytes: Int
    /// The length that it had at first. The entries refer to that text, and keep it in memory.
    private let textBytes: Int
    fileprivate var handle = SessionHandle(rawValue: 0)
    fileprivate var version = EntityVersion(0)

    init(_ session: consuming Session, fitsBefore: SequenceNumber, jsonBytes: Int) {
        self.session = session
        self.fitsBefore = fitsBefore
        self.jsonBytes = jsonBytes
        textBytes = jsonBytes
    }

    /// The longest text that it may keep in memory.
    fileprivate var longestText: Int { max(jsonBytes, textBytes) }

    /// Estimated memory in bytes: the value itself, and its entries, which take about twice as
    /// much as their JSON.
    fileprivate var bytes: Int { 512 + 2 * longestText }
}

/// The sessions that were changed last, decoded.
///
/// A change needs the session as a value, and decoding its JSON is a third of the work of a change.
/// A session that was changed is likely to be changed again, so its value is kept in the slot that
/// its handle is hashed to; a later session with the same slot replaces it. A kept value is valid
/// while the newest state of the session has the version that the value was made from.
///
/// Together they stay within a number of bytes. When it is exceeded, sessions are removed, one slot
/// after another.
struct RecentSessions {
    /// Sessions whose JSON is longer, or was when they were decoded, are not kept.
    static let jsonBytesMax = 8 << 10
    private static let slotsMax = 1 << 16

    /// Empty until the first session is kept.
    private var slots: [RecentSession?] = []
    /// Sessions that were changed, by the single ticket of the change. Another change of the same
    /// session may have the same version until it is decided which of them is kept.
    private var undecided: [Ticket: RecentSession] = [:]
    /// The number of bits of a slot's index.
    private let bits: Int
    private let bytesMax: Int
    /// Estimated memory of all kept sessions.
    private(set) var bytes = 0
    /// The slot from which the next session is removed when bytes are needed.
    private var nextToRemove = 0

    /// - Parameter bytesMax: the memory that all kept sessions may use.
    init(bytesMax: Int) {
        let count = min(Self.slotsMax, max(1, bytesMax / 1024))
        bits = Int.bitWidth - 1 - count.leadingZeroBitCount
        self.bytesMax = bytesMax
    }

    /// Removes the session and returns it, so that the caller can change it without a copy. Returns
    /// nil if it is not kept or was made from another version.
    mutating func take(_ handle: SessionHandle, _ version: EntityVersion) -> RecentSession? {
        let index = index(of: handle)
        guard index < slots.count, let found = slots[index], found.handle == handle,
            found.version == version
        else { return nil }
        bytes -= found.bytes
        slots[index] = nil
        return found
    }

    mutating func keep(
        _ session: RecentSession, of handle: SessionHandle, _ version: EntityVersion
    ) {
        guard session.longestText <= Self.jsonBytesMax else { return }
        if slots.isEmpty { slots = Array(repeating: nil, count: 1 << bits) }
        let index = index(of: handle)
        bytes += session.bytes - (slots[index]?.bytes ?? 0)
        session.handle = handle
        session.version = version
        slots[index] = session
        while bytes > bytesMax { removeNext() }
    }

    /// Keeps a session that was changed, as soon as the change is known to be kept.
    mutating func keep(
        _ session: RecentSession, of handle: SessionHandle, _ version: StoredVersion
    ) {
        guard version.ticket.isSingle else { return keep(session, of: handle, version.entity) }
        // Those take at most half as much memory again.
        guard session.longestText <= Self.jsonBytesMax,
            undecided.count < bytesMax / (4 * Self.jsonBytesMax)
        else { return }
        (session.handle, session.version) = (handle, version.entity)
        undecided[version.ticket] = session
    }

    /// Takes the outcomes of changes.
    mutating func settle(_ outcomes: [DecidedTicket]) {
        for decided in outcomes {
            guard let session = undecided.removeValue(forKey: decided.ticket),
                decided.outcome == .kept
            else { continue }
            keep(session, of: session.handle, session.version)
        }
    }

    private mutating func removeNext() {
        bytes -= slots[nextToRemove]?.bytes ?? 0
        slots[nextToRemove] = nil
        nextToRemove = (nextToRemove + 1) & (slots.count - 1)
    }

    mutating func removeAll() {
        slots = []
        undecided = [:]
        bytes = 0
    }

    /// Shards take handles by their high bits, so all bits are mixed.
    private func index(of handle: SessionHandle) -> Int {
        Int(UInt64(handle.rawValue &* 0x9E37_79B1) >> UInt64(32 - bits))
    }
}
