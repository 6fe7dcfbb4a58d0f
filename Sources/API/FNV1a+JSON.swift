internal import Bytes
internal import JSON
internal import Navigation

// The digest of a JSON value. The order of members, white space, escapes and the spelling of
// numbers do not count.

extension FNV1a {
    private mutating func mix(_ kind: Unicode.Scalar, bits: UInt64) {
        mix(UInt8(ascii: kind))
        mix((0..<8).lazy.map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) })
    }

    private mutating func mix(_ text: String) {
        mix(text.utf8)
        mixSeparator()
    }

    /// Mixes in the value of a body. A short one is not parsed for that.
    mutating func mix(_ body: CompactObject) {
        let before = self
        let text = body.text
        if text.count <= Self.textBytesMax, mix(text, text.indices) { return }
        self = before
        mix(body.json)
    }

    private static let textBytesMax = 4096
    private static let textMembersMax = 32

    /// Mixes in a value of compact text, as if it were parsed.
    ///
    /// - Returns: false if it has to be parsed.
    private mutating func mix(_ text: [UInt8], _ range: Range<Int>) -> Bool {
        switch text[range.lowerBound] {
        case UInt8(ascii: "{"): return mixMembers(of: text, range)
        case UInt8(ascii: "["):
            mix(UInt8(ascii: "["))
            var at = range.lowerBound + 1
            while at < range.upperBound - 1 {
                guard let end = CompactValue.end(in: text, from: at), mix(text, at..<end) else {
                    return false
                }
                at = end + 1
            }
            mix(UInt8(ascii: "]"))
        case ASCII.quote:
            guard CompactValue.stringEnd(in: text, from: range.lowerBound) == range.upperBound
            else { return false }
            mix(UInt8(ascii: "s"))
            mix(text[range.dropFirst().dropLast()])
            mixSeparator()
        case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "f"):
            mix(text[range.lowerBound])
        default:
            guard CompactValue.end(in: text, from: range.lowerBound) == range.upperBound else {
                return false
            }
            let isNegative = text[range.lowerBound] == ASCII.hyphen
            let digits = text[isNegative ? range.dropFirst() : range]
            let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 &- ASCII.zero) }
            guard number != 0 || !isNegative else { return false }
            mix("i", bits: UInt64(bitPattern: isNegative ? -number : number))
        }
        return true
    }

    private mutating func mixMembers(of text: [UInt8], _ range: Range<Int>) -> Bool {
        var members: [(name: Range<Int>, value: Range<Int>)] = []
        members.reserveCapacity(8)
        var at = range.lowerBound + 1
        while at < range.upperBound - 1 {
            guard members.count < Self.textMembersMax,
                let nameEnd = CompactValue.stringEnd(in: text, from: at),
                let end = CompactValue.end(in: text, from: nameEnd + 1)
            else { return false }
            members.append((at + 1..<nameEnd - 1, nameEnd + 1..<end))
            var place = members.count - 1
            while place > 0, Self.precedes(members[place].name, members[place - 1].name, of: text) {
                members.swapAt(place, place - 1)
                place -= 1
            }
            at = end + 1
        }
        mix(UInt8(ascii: "{"))
        for member in members {
            mix(UInt8(ascii: "m"))
            mix(text[member.name])
            mixSeparator()
            guard mix(text, member.value) else { return false }
        }
        mix(UInt8(ascii: "}"))
        return true
    }

    private static func precedes(
        _ first: Range<Int>, _ second: Range<Int>, of text: [UInt8]
    ) -> Bool {
        ByteSearch.order(text, in: first, against: text, in: second) < 0
    }

    /// Mixes in a value. Equal values have equal hashes.
    mutating func mix(_ json: JSON) {
        switch json {
        case .null: mix(UInt8(ascii: "n"))
        case .bool(let flag): mix(UInt8(ascii: flag ? "t" : "f"))
        case .integer(let number): mix("i", bits: UInt64(bitPattern: number))
        case .double(let number):
            if let whole = json.wholeNumber {
                mix(.integer(Int64(whole)))
            } else {
                mix("d", bits: number.bitPattern)
            }
        case .string(let text):
            mix(UInt8(ascii: "s"))
            mix(text)
        case .array(let items):
            mix(UInt8(ascii: "["))
            for item in items { mix(item) }
            mix(UInt8(ascii: "]"))
        case .object(let object):
            mix(UInt8(ascii: "{"))
            let members = object.members.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            for member in members {
                mix(UInt8(ascii: "m"))
                mix(member.key)
                mix(member.value)
            }
            mix(UInt8(ascii: "}"))
        }
    }
}
