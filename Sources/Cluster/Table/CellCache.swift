internal import Navigation
internal import Sessions

/// Cells of sessions within a limit of bytes. Cells that were used since they were last considered
/// stay; of others the history is dropped first, then the newest record.
struct CellCache {
    private struct Slot {
        var cell: SessionCell
        var wasUsed = false
    }

    private var slots: [SessionID: Slot] = [:]
    /// The sessions in the order in which they are considered. Some are not in the cache any more.
    private var queue: [SessionID] = []
    private var next = 0
    private var bytes = 0
    private let bytesMax: Int

    /// - Parameter bytesMax: the most bytes that the cells may take.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    var count: Int { slots.count }

    /// The cell of a session, which counts as used.
    mutating func use(_ id: SessionID) -> SessionCell? {
        guard let index = slots.index(forKey: id) else { return nil }
        slots.values[index].wasUsed = true
        return slots.values[index].cell
    }

    /// Adds or replaces the cell of a session.
    mutating func insert(_ cell: SessionCell, of id: SessionID) {
        if let former = slots.updateValue(Slot(cell: cell), forKey: id) {
            bytes -= former.cell.bytes
        } else {
            enqueue(id)
        }
        bytes += cell.bytes
        shrink()
    }

    private mutating func enqueue(_ id: SessionID) {
        queue.append(id)
        guard queue.count - next > 64 + 2 * slots.count else { return }
        var seen: Set<SessionID> = []
        queue = queue[next...].filter { slots[$0] != nil && seen.insert($0).inserted }
        next = 0
    }

    /// Adds a record to the cell of its session, which then begins with it unless it is the next
    /// revision.
    ///
    /// - Parameter isFirst: whether the record is the first of all messages of the session's id.
    mutating func append(_ record: StoredRecord, isFirst: Bool) {
        let id = record.record.id
        guard let index = slots.index(forKey: id) else {
            return insert(SessionCell(record, isFirst: isFirst), of: id)
        }
        bytes -= slots.values[index].cell.bytes
        if !slots.values[index].cell.append(record) {
            slots.values[index].cell = SessionCell(record, isFirst: isFirst)
        }
        bytes += slots.values[index].cell.bytes
        shrink()
    }

    /// Removes the cell of a session.
    mutating func remove(_ id: SessionID) {
        guard let slot = slots.removeValue(forKey: id) else { return }
        bytes -= slot.cell.bytes
    }

    private mutating func shrink() {
        while bytes > bytesMax, next < queue.count {
            next += 1
            consider(queue[next - 1])
        }
        guard next > 64, next * 2 > queue.count else { return }
        queue.removeFirst(next)
        next = 0
    }

    private mutating func consider(_ id: SessionID) {
        guard let index = slots.index(forKey: id) else { return }
        let slot = slots.values[index]
        guard slot.wasUsed || slot.cell.records.count > 1 else { return remove(id) }
        // A used cell stays whole once, and loses its history the next time.
        if !slot.wasUsed {
            bytes -= slot.cell.bytes
            slots.values[index].cell.trim()
            bytes += slots.values[index].cell.bytes
        }
        slots.values[index].wasUsed = false
        enqueue(id)
    }
}
