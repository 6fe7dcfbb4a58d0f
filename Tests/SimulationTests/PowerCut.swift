// The rest that a power cut leaves of unsynced bytes: anything between all and nothing of them.

/// The choices of one power cut.
struct PowerCut {
    private enum Manner {
        case nothing, everything, beginning, mixture
    }

    private let world: World
    private let names: Manner
    private let bytes: Manner

    init(_ world: World) {
        self.world = world
        let manners: [Manner] = [.nothing, .everything, .beginning, .mixture]
        names = manners[world.below(4)]
        bytes = manners[world.below(4)]
    }

    /// Those of the changes of names that the disk has.
    func some<Change>(of changes: [Change]) -> [Change] {
        switch names {
        case .nothing: []
        case .everything: changes
        case .beginning: Array(changes.prefix(world.below(changes.count + 1)))
        case .mixture: changes.filter { _ in world.oneIn(2) }
        }
    }

    /// A file's bytes on the disk: in each sector the old ones, the new ones, or zeros where the
    /// file had no bytes before.
    func torn(synced: [UInt8], current: [UInt8]) -> [UInt8] {
        if synced == current { return synced }
        switch bytes {
        case .nothing: return synced
        case .everything: return current
        case .beginning: return mixture(synced, current, newUpTo: world.below(current.count + 1))
        case .mixture: return mixture(synced, current, newUpTo: nil)
        }
    }

    private func mixture(_ synced: [UInt8], _ current: [UInt8], newUpTo: Int?) -> [UInt8] {
        let size = [synced.count, current.count, max(synced.count, current.count)][world.below(3)]
        var bytes = [UInt8](repeating: 0, count: size)
        for sector in Sectors(size) {
            let isNew = newUpTo.map { sector.lowerBound <= $0 } ?? world.oneIn(2)
            let source = isNew ? current : synced
            guard sector.lowerBound < source.count else { continue }
            let part = sector.lowerBound..<min(sector.upperBound, source.count)
            bytes.replaceSubrange(part, with: source[part])
        }
        return bytes
    }
}

/// Ranges of 512 bytes, the last one shorter.
struct Sectors: Sequence, IteratorProtocol {
    private var start = 0
    private let count: Int
    static let size = 512

    init(_ count: Int) { self.count = count }

    mutating func next() -> Range<Int>? {
        guard start < count else { return nil }
        defer { start += Self.size }
        return start..<Swift.min(start + Self.size, count)
    }
}
