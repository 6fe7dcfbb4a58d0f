internal import Bytes

/// A name of at most 32 bytes in four machine words, which compares faster than text.
///
/// The names of two inputs are equal if their packed names and their lengths are equal; the caller
/// compares the lengths.
struct PackedName: Equatable, Sendable {
    static let bytesMax = 32

    private var words = InlineArray<4, UInt64>(repeating: 0)

    /// Packs text unchanged.
    init(_ text: String) {
        precondition(text.utf8.count <= Self.bytesMax, "a name longer than the words for it")
        for (index, byte) in text.utf8.enumerated() { put(byte, at: index) }
    }

    /// Packs bytes with `A`–`Z` turned into lower case. The range has at most `bytesMax` bytes, all
    /// of them ASCII.
    init(folding bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.upperBound &+ 8 <= bytes.count else {
            var index = 0
            for position in range {
                put(ASCII.lowercased(bytes[position]), at: index)
                index &+= 1
            }
            return
        }
        var position = range.lowerBound
        var index = 0
        while position < range.upperBound {
            var eight = EightBytes(bytes, at: position)
            eight.keep(min(8, range.upperBound &- position))
            eight.lowercase()
            words[index] = eight.word
            position &+= 8
            index &+= 1
        }
    }

    private mutating func put(_ byte: UInt8, at index: Int) {
        words[index &>> 3] |= UInt64(byte) &<< UInt64((index & 7) &* 8)
    }

    static func == (a: PackedName, b: PackedName) -> Bool {
        a.words[0] == b.words[0] && a.words[1] == b.words[1]
            && a.words[2] == b.words[2] && a.words[3] == b.words[3]
    }
}

/// A range in 8 bytes, relative to the first byte of the message.
struct PackedRange: Sendable {
    var offset: UInt32 = 0
    var count: UInt32 = 0

    /// Only ranges within a head are packed, and a head is much shorter than 4 GiB.
    init(_ range: Range<Int>) {
        offset = UInt32(truncatingIfNeeded: range.lowerBound)
        count = UInt32(truncatingIfNeeded: range.count)
    }

    init() {}

    mutating func move(by distance: Int) {
        offset = UInt32(truncatingIfNeeded: Int(offset) + distance)
    }

    func range(from base: Int) -> Range<Int> {
        let low = base &+ Int(offset)
        return low..<low + Int(count)
    }
}
