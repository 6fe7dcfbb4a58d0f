internal import Bytes
internal import JSON
internal import Navigation

// The digest of a JSON value. The order of members, white space, escapes and the spelling of
// numbers do not count.

extension FNV1a {
    private mutating func mix(_ kind: Character, bits: UInt64) {
        mix(kind.utf8)
        mix((0..<8).lazy.map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) })
    }

    private mutating func mix(_ text: String) {
        mix(text.utf8)
        mixSeparator()
    }

    /// Mixes in the value of a body. A short one is not parsed for that.
    mutating func mix(_ body: CompactObject) {
        let before = self
        if body.text.count <= Self.textBytesMax, mix(body.text, at: 0) == body.text.count { return }
        self = before
        mix(body.json)
    }

    private static let textBytesMax = 4096
    private static let textMembersMax = 32

    /// Mixes in the value at an index of a compact text, as if it were parsed.
    ///
    /// - Returns: its end, or nil if it has to be parsed.
    private mutating func mix(_ text: [UInt8], at start: Int) -> Int? {
        guard let end = CompactValue.end(in: text, from: start) else { return nil }
        switch text[start] {
        case UInt8(ascii: "{"): return mixMembers(of: text, start, end)
        case UInt8(ascii: "["):
            mix("[".utf8)
            var at = start + 1
            while at < end - 1 {
                guard let next = mix(text, at: at) else { return nil }
                at = next + 1
            }
            mix("]".utf8)
        case UInt8(ascii: "\""):
            mix("s".utf8)
            mix(text[start + 1..<end - 1])
            mixSeparator()
        case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "f"):
            mix(CollectionOfOne(text[start]))
        default:
            let isNegative = text[start] == ASCII.hyphen
            let digits = text[(isNegative ? start + 1 : start)..<end]
            let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 &- ASCII.zero) }
            guard number != 0 || !isNegative else { return nil }
            mix("i", bits: UInt64(bitPattern: isNegative ? -number : number))
        }
        return end
    }

    private mutating func mixMembers(of text: [UInt8], _ start: Int, _ end: Int) -> Int? {
        var members: [(name: Range<Int>, value: Int)] = []
        var at = start + 1
        while at < end - 1 {
            guard members.count < Self.textMembersMax,
                let nameEnd = CompactValue.stringEnd(in: text, from: at),
                let valueEnd = CompactValue.end(in: text, from: nameEnd + 1)
            else { return nil }
            let name = at + 1..<nameEnd - 1
            var place = members.count
            while place > 0,
                ByteSearch.order(text, in: name, against: text, in: members[place - 1].name) < 0
            { place -= 1 }
            members.insert((name, nameEnd + 1), at: place)
            at = valueEnd + 1
        }
        mix("{".utf8)
        for member in members {
            mix("m".utf8)
            mix(text[member.name])
            mixSeparator()
            guard mix(text, at: member.value) != nil else { return nil }
        }
        mix("}".utf8)
        return end
    }

    /// Mixes in a value. Equal values have equal hashes.
    mutating func mix(_ json: JSON) {
        switch json {
        case .null: mix("n".utf8)
        case .bool(let flag): mix(flag ? "t".utf8 : "f".utf8)
        case .integer(let number): mix("i", bits: UInt64(bitPattern: number))
        case .double(let number):
            if let whole = json.wholeNumber {
                mix(.integer(Int64(whole)))
            } else {
                mix("d", bits: number.bitPattern)
            }
        case .string(let text):
            mix("s".utf8)
            mix(text)
        case .array(let items):
            mix("[".utf8)
            for item in items { mix(item) }
            mix("]".utf8)
        case .object(let object):
            mix("{".utf8)
            let members = object.members.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            for member in members {
                mix("m".utf8)
                mix(member.key)
                mix(member.value)
            }
            mix("}".utf8)
        }
    }
}
