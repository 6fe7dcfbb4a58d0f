internal import Navigation
internal import Sessions

/// The JSON of the long sessions that were read last. Clients that read the same session share its
/// bytes, so a long response costs no copy. Without this, a GET of 900 KB takes 1.7 times the CPU
/// time, and one of 120 KB 1.2 times.
struct LongBodies {
    private struct Item {
        var handle: SessionHandle
        var version: EntityVersion
        var body: [UInt8]
    }

    /// Shorter bodies are not kept: copying them takes less time than looking for them.
    static let bytesMin = 64 << 10

    /// Few, since each may be as long as a session may be.
    private static let countMax = 4

    private var items: [Item] = []
    private var next = 0

    var isEmpty: Bool { items.isEmpty }

    /// The JSON of the session's state with this version. Returns nil if it is not cached.
    func body(_ handle: SessionHandle, _ version: EntityVersion) -> [UInt8]? {
        for item in items where item.handle == handle && item.version == version {
            return item.body
        }
        return nil
    }

    mutating func keep(
        _ body: [UInt8], of handle: SessionHandle, _ version: EntityVersion
    ) {
        let item = Item(handle: handle, version: version, body: body)
        if items.count < Self.countMax {
            items.append(item)
        } else {
            items[next] = item
            next = (next + 1) % Self.countMax
        }
    }

    mutating func removeAll() { self = LongBodies() }
}
