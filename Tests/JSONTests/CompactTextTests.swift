import Bytes
import JSON
import TestSupport
import Testing

/// The quick check of a text against the parser: a text that it takes is the one that the parsed
/// value is written as.
@Suite(.seeded) struct CompactTextTests {
    /// The fault of the compact text, or nil. A text that the check leaves to the parser is
    /// right.
    private static func flaw(_ text: [UInt8], limits: JSONLimits = JSONLimits()) -> String? {
        let bytes = Array("xx".utf8) + text + Array("]x".utf8)
        let range = 2..<2 + text.count
        guard let compact = CompactText.text(of: bytes, in: range, limits: limits) else {
            return nil
        }
        do {
            let value = try JSON(parsing: text, limits: limits)
            guard value.bytes == compact.text else { return "is written otherwise: \(value.text)" }
            return flaw(compact, value)
        } catch {
            return "is refused: \(error)"
        }
    }

    /// The first difference in the members of a compact object, or nil.
    private static func flaw(_ compact: CompactObject, _ value: JSON) -> String? {
        guard compact.isIndexed else { return nil }
        guard case .object(let object) = value else { return "is no object" }
        guard compact.count == object.count else { return "has \(object.count) members" }
        for (index, member) in object.members.enumerated() {
            guard compact.key(index) == member.key, compact.index(of: member.key) == index,
                compact.value(index).bytes == member.value.bytes,
                Array(compact.text(index)) == member.value.bytes
            else { return "has another member \(member.key)" }
        }
        return compact.index(of: "none") == nil ? nil : "has a member that is not there"
    }

    private static func isTaken(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return CompactText.text(of: bytes, in: bytes.indices, limits: JSONLimits()) != nil
    }

    static let taken = [
        "{}", " { } ", "[]", #"{"route":"detail","params":{"id":7}}"#,
        "{\r\n\t\"a\" : [ 1 , -2 , true , null , \"x y\" ] }", #""é€𝄞""#, "0", "999999999999999",
    ]

    @Test(arguments: taken)
    func `a plain text is taken`(_ text: String) {
        #expect(Self.isTaken(text))
        #expect(Self.flaw(Array(text.utf8)) == nil)
    }

    static let left = [
        "", " ", "{", "}", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "01", "-0",
        "-",
        "1.0", "1e2", "1E2", "1234567890123456", "tru", "nulll", "{} {}", "\"", "\"\\n\"",
        "\"\u{1}\"", #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"a":3}"#, "'a'", "{a:1}", "\u{FEFF}{}",
    ]

    @Test(arguments: left)
    func `everything else is left to the parser`(_ text: String) {
        #expect(!Self.isTaken(text))
    }

    @Test func `the limits hold`() {
        let deep = Array((String(repeating: "[", count: 9) + String(repeating: "]", count: 9)).utf8)
        let limits = JSONLimits(nestingMax: 8)
        #expect(CompactText.text(of: deep, in: deep.indices, limits: limits) == nil)
        let whole = CompactText.text(of: deep, in: deep.indices, limits: JSONLimits())
        #expect(whole?.text == deep)
        #expect(Self.flaw(Array(deep.dropFirst().dropLast()), limits: limits) == nil)
    }

    @Test func `random texts and their mutations agree with the parser`() {
        var numbers = SplitMix64()
        let alphabet = Array("{}[]:,\"\\ \n\t0123456789-.eEtrufalsnab\u{1}\u{7f}é".utf8)
        var count = 0
        for _ in 0..<3000 {
            var text = Self.plainValue(depth: 3, &numbers)
            for _ in 0..<numbers.below(4) {
                let index = numbers.below(max(text.count, 1))
                switch numbers.below(3) {
                case 0 where !text.isEmpty: text[index] = numbers.one(of: alphabet)
                case 1 where !text.isEmpty: text.remove(at: index)
                default: text.insert(numbers.one(of: alphabet), at: index)
                }
            }
            if let flaw = Self.flaw(text) {
                Issue.record("\(String(decoding: text, as: UTF8.self)) \(flaw)")
            }
            if Self.isTaken(String(decoding: text, as: UTF8.self)) { count += 1 }
        }
        #expect(count > 300, "too few texts are plain")
    }

    /// A value in the forms that clients send, with white space here and there.
    private static func plainValue(depth: Int, _ numbers: inout SplitMix64) -> [UInt8] {
        func blank() -> String { numbers.oneIn(4) ? " " : "" }
        func name() -> String { "\"\(numbers.one(of: ["a", "b", "route", "é", ""]))\"" }
        func list(_ item: () -> String) -> String {
            (0..<numbers.below(4)).map { _ in blank() + item() + blank() }.joined(separator: ",")
        }
        func value(_ depth: Int) -> String {
            switch numbers.below(depth > 0 ? 7 : 4) {
            case 0: String(Int(numbers.below(2000)) - 1000)
            case 1: numbers.one(of: ["true", "false", "null"])
            case 2, 3: name()
            case 4: "[" + list { value(depth - 1) } + "]"
            default: "{" + list { name() + blank() + ":" + blank() + value(depth - 1) } + "}"
            }
        }
        return Array(value(depth).utf8)
    }

    @Test func `the members of a compact object are those of the value`() throws {
        var numbers = SplitMix64()
        for _ in 0..<500 {
            let value = numbers.value(depth: 3)
            let flaw = Self.flaw(CompactObject(value.bytes), value)
            #expect(flaw == nil, "\(value.text) \(flaw ?? "")")
        }
        #expect(CompactObject(Array(#"{"a":{"b":[1]},"c":""}"#.utf8)).isIndexed)
        #expect(!CompactObject(Array("[1]".utf8)).isIndexed)
    }

    @Test func `the members of plain objects are known, up to eight`() {
        for count in 0...9 {
            let object = JSONObject((0..<count).map { ("m\($0)", JSON.integer(Int64($0))) })
            let compact = CompactText.text(
                of: object.bytes, in: object.bytes.indices, limits: JSONLimits())
            #expect(compact?.isIndexed == (count <= 8))
            #expect(CompactObject(object.bytes).isIndexed == (count <= 8))
        }
    }
}
