internal import Bytes

/// The nodes that use the store now. Each says so once a second, and counts for five seconds.
///
/// Work that has to be done once for a shard is done by its keeper: each node computes from the
/// numbers of all nodes who that is. While two nodes disagree, both do it, so it must not matter.
struct Peers {
    private let node: UInt64
    private var lastSeen: [UInt64: Int64] = [:]
    /// When to say again that this node is there.
    private(set) var announcesAt: Int64

    private static let announceMilliseconds: Int64 = 1_000
    private static let presentMilliseconds: Int64 = 5_000
    private static let countMax = 4_096

    init(node: UInt64, at now: Int64) {
        self.node = node
        announcesAt = now
    }

    /// A node's number as nodes write it: 16 digits of base 16.
    static func text(of node: UInt64) -> String {
        var text = ByteWriter(capacity: 16)
        text.append(hexadecimal: node, digits: 16)
        return text.string
    }

    /// The message of this node if it is time for one.
    mutating func announcement(at now: Int64) -> [UInt8]? {
        guard now >= announcesAt else { return nil }
        announcesAt = now + Self.announceMilliseconds
        lastSeen = lastSeen.filter { now - $0.value < Self.presentMilliseconds }
        return Array(Self.text(of: node).utf8)
    }

    /// Takes a message of another node. Anything but the number of a node is ignored. A node that
    /// is new learns at once that this one is there.
    mutating func receivedHeartbeat(_ text: ArraySlice<UInt8>, at now: Int64) {
        guard text.count == 16, let other = Hexadecimal.number(text), other != node,
            lastSeen[other] != nil || lastSeen.count < Self.countMax
        else { return }
        if lastSeen[other] == nil { announcesAt = now }
        lastSeen[other] = now
    }

    /// Whether this node is the keeper of a shard.
    func isKeeper(of shard: Int, at now: Int64) -> Bool {
        let own = Self.weight(of: node, shard)
        return present(at: now).keys.allSatisfy { other in
            let weight = Self.weight(of: other, shard)
            return weight < own || weight == own && other < node
        }
    }

    /// The other nodes, and when each of them was heard last.
    func present(at now: Int64) -> [UInt64: Int64] {
        lastSeen.filter { now - $0.value < Self.presentMilliseconds }
    }

    private static func weight(of node: UInt64, _ shard: Int) -> UInt64 {
        var hash = FNV1a()
        hash.mix([UInt8(truncatingIfNeeded: shard >> 8), UInt8(truncatingIfNeeded: shard)])
        hash.mix((0..<8).map { UInt8(truncatingIfNeeded: node >> UInt64(8 * $0)) })
        return hash.hash
    }
}
