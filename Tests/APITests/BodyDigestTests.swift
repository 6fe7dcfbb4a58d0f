import Bytes
import JSON
import TestSupport
import Testing

@testable import API

/// The digest of the text of a body is that of its value.
@Suite struct BodyDigestTests {
    @Test(.seeded) func `a text has the digest of its value`() {
        var dice = SplitMix64()
        for _ in 0..<3_000 {
            let json = value(&dice, depth: 4)
            var (ofText, ofValue) = (FNV1a(), FNV1a())
            ofText.mix(CompactObject(json.bytes))
            ofValue.mix(json)
            #expect(ofText.hash == ofValue.hash, "\(String(decoding: json.bytes, as: UTF8.self))")
        }
    }

    @Test func `a body of many members and a long one have the digests of their values`() {
        for count in [31, 32, 33, 900] {
            let members = (0..<count).map { ("m\($0)", JSON.integer(Int64($0))) }
            let json = JSON.object(JSONObject(members))
            var (ofText, ofValue) = (FNV1a(), FNV1a())
            ofText.mix(CompactObject(json.bytes))
            ofValue.mix(json)
            #expect(ofText.hash == ofValue.hash)
        }
    }

    private func value(_ dice: inout SplitMix64, depth: Int) -> JSON {
        let count = Int(dice.next() % 5)
        switch dice.next() % (depth > 0 ? 6 : 4) {
        case 0: return [JSON.null, .bool(true), .bool(false)][Int(dice.next() % 3)]
        case 1:
            let numbers: [Int64] = [0, 7, -1, -40, 999_999_999_999_999, 1 << 53, .min, .max]
            return .integer(numbers[Int(dice.next() % 8)])
        case 2: return .double([0.5, -2.25, 3, 1e21, 1e-7, -0.0][Int(dice.next() % 6)])
        case 3: return .string(Self.texts[Int(dice.next() % 8)])
        case 4: return .array((0..<count).map { _ in value(&dice, depth: depth - 1) })
        default:
            let names = Self.texts.shuffled(using: &dice).prefix(count)
            return .object(
                JSONObject(names.map { ($0, value(&dice, depth: depth - 1)) }))
        }
    }

    private static let texts = ["", "a", "b", "ab", "a b", "é", "a\"\\", "\n"]
}
