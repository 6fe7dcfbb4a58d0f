import JSON
import Navigation
import Sessions
import Testing

@testable import Storage

/// The values that are read of a line, compared with those that a JSON parser finds in it.
@Suite struct RecordHeaderTests {
    static let usual = #","born":7,"undos":0,"next":12345678"#
    static let end = #","elen":2,"event":{},"s":{"id":"a"}"#
    static let start = #"{"n":9,"d":8,"op":"put","id":"a","rev":1,"at":1795225000412"#

    /// Lines up to their checksums.
    static let records =
        ["12345678", "123456789012345", "1234567890123456", "9007199254740991"].map {
            #"{"n":\#($0),"d":8,"op":"put","id":"kiosk-1","rev":3,"at":5"# + usual + end
        }
        + [
            "", #","exp":1797817000412"#, #","exp":-1"#, #","prev":5"#,
            #","exp":12345678,"prev":5"#,
        ].map { start + $0 + usual + end }
        + [
            #","app":"chat""#, #","labels":{"room":"lobby","a":""}"#, #","labels":{}"#,
            #","labels":{"a":"\"}"}"#, #","undo":[[24,25,183011],[28,28,184100]]"#,
            #","redo":[[27,26,184002]]"#, #","undo":[],"redo":[]"#,
            #","reach":[[28,28,184100]]"#, #","key":"9f1c","dig":"00c0ffee00c0ffee""#,
            #","key":"","dig":"00c0ffee00c0ffee""#, #","key":"\"","dig":"00c0ffee00c0ffee""#,
            #","app":"chat","labels":{"room":"lobby"},"key":"k","dig":"00c0ffee00c0ffee""#,
        ].map { start + usual + $0 + end }
        + [
            start + #","born":7,"cur":1,"tip":2,"undos":0,"next":1"# + end,
            start + #","cur":-1,"tip":2,"undos":0,"next":1,"born":7"# + end,
            #"{"n":9,"d":8,"op":"delete","id":"a","rev":4,"at":5,"prev":3,"born":2,"#
                + #""why":"expired""#,
            #"{"n":9,"d":8,"op":"mark","at":1795225000913"#,
            #"{"n":9,"d":8,"op":"seal","at":1795225100000,"lines":5"#,
            #"{"n":9,"d":8,"op":"app","id":"chat","at":5,"doc":{}"#,
            #"{"n":9,"d":8,"op":"app-delete","id":"chat","at":5"#,
            #"{"n":9,"d":8,"op":"tokens","id":"a","at":5,"born":2,"tokens":[{"id":"t"}]"#,
        ]

    private static func line(_ body: String) -> [UInt8] {
        Array((body + ",\"crc\":\"00000000\"}\n").utf8)
    }

    private func value(_ piece: RecordHeader.Piece?, _ bytes: [UInt8]) -> JSON? {
        guard let range = piece?.range, range.lowerBound > 0 else { return nil }
        return try? JSON(parsing: bytes, in: range)
    }

    private func string(_ piece: RecordHeader.Piece?, _ bytes: [UInt8]) -> JSON? {
        guard let range = piece?.range, range.lowerBound > 0 else { return nil }
        return try? JSON(parsing: bytes, in: range.lowerBound - 1..<range.upperBound + 1)
    }

    /// The members of a header that have values, by their keys.
    private func members(_ header: RecordHeader, _ bytes: [UInt8]) -> [String: JSON] {
        func number(_ number: some BinaryInteger) -> JSON? {
            number == 0 ? nil : .integer(Int64(number))
        }
        let (session, undo) = (header.session, header.undo)
        let all: [String: JSON?] = [
            "n": number(header.sequence), "d": number(header.durable), "at": number(header.at),
            "id": string(header.id, bytes), "rev": number(session.revision),
            "exp": session.expiresAt == SessionEntry.never ? nil : number(session.expiresAt),
            "prev": number(header.links.previous), "born": number(header.links.born),
            "undos": number(undo.steps), "next": number(session.nextEntry),
            "app": string(session.app, bytes), "labels": value(session.labels, bytes),
            "undo": value(undo.undo, bytes), "redo": value(undo.redo, bytes),
            "tokens": value(header.body.tokens, bytes),
            "key": string(header.key.text, bytes), "event": value(header.body.event, bytes),
            header.kind == .app ? "doc" : "s": value(header.body.state, bytes),
            "lines": number(header.end.lines),
            "why": header.kind == .delete ? .string(header.end.reason.rawValue) : nil,
        ]
        return all.compactMapValues { $0 }
    }

    /// The same members out of a JSON parser; nil if the line is not JSON.
    private func parsed(_ bytes: [UInt8], _ line: Range<Int>) -> [String: JSON]? {
        let text = Array(bytes[line].dropLast(Line.endCount)) + [UInt8(ascii: "}")]
        guard case .object(let object)? = try? JSON(parsing: text) else { return nil }
        let read = object.members.filter { member in
            !["op", "dig", "elen", "cur", "tip", "reach"].contains(member.key)
                && member.value != .integer(0)
        }
        return Dictionary(read.map { ($0.key, $0.value) }) { $1 }
    }

    @Test(arguments: records)
    func `a record has the members that a JSON parser finds in it`(body: String) throws {
        for before in ["", "another line\n"] {
            let bytes = Array(before.utf8) + Self.line(body)
            let line = before.utf8.count..<bytes.count
            let header = try #require(RecordHeader(bytes, line))
            #expect(header.line.range == line)
            #expect(try members(header, bytes) == #require(parsed(bytes, line)))
        }
    }

    @Test(arguments: records)
    func `the same is true when any byte is another one, if it is still a record`(body: String) {
        let bytes = Self.line(body)
        for place in 0..<bytes.count - Line.endCount {
            for byte in [0x22, 0x2C, 0x30, 0x39, 0x3A, 0x5C, 0x7D, 0xFF] as [UInt8] {
                var other = bytes
                other[place] = byte
                guard let header = RecordHeader(other, other.indices),
                    let expected = parsed(other, other.indices)
                else { continue }
                #expect(
                    members(header, other) == expected, "\(String(decoding: other, as: UTF8.self))")
            }
        }
    }

    @Test(arguments: records)
    func `members may have another order`(body: String) throws {
        guard let place = body.firstRange(of: #","at":"#)?.lowerBound,
            let number = body.firstRange(of: #""n":"#)?.lowerBound
        else { return }
        let head = body[number..<place].split(separator: ",").reversed().joined(separator: ",")
        let line = Self.line("{" + head + body[place...])
        let header = try #require(RecordHeader(line, line.indices))
        #expect(try members(header, line) == #require(parsed(line, line.indices)))
    }

    /// The members of one record, in the order in which they are written.
    static let members = [
        #""n":9"#, #""d":8"#, #""op":"put""#, #""id":"a""#, #""rev":1"#, #""at":1795225000412"#,
        #""exp":1797817000412"#, #""prev":5"#, #""born":4"#, #""undos":3"#, #""next":12"#,
        #""app":"chat""#, #""labels":{"room":"lobby"}"#, #""undo":[[1,2,3]]"#, #""redo":[]"#,
        #""key":"k""#, #""dig":"00c0ffee00c0ffee""#,
    ]

    @Test func `each member may be missing, be elsewhere, or come twice`() throws {
        let whole = Self.line("{" + Self.members.joined(separator: ",") + Self.end)
        for place in Self.members.indices {
            let member = Self.members[place]
            let rest = Self.members.enumerated().filter { $0.offset != place }.map(\.element)
            var orders = (0...rest.count).map { rest[..<$0] + [member] + rest[$0...] }
            if place >= 6 { orders.append(rest[...]) }
            for order in orders {
                let line = Self.line("{" + order.joined(separator: ",") + Self.end)
                let header = try #require(RecordHeader(line, line.indices), "\(order)")
                #expect(try members(header, line) == #require(parsed(line, line.indices)))
            }
            // A JSON parser refuses this line.
            let twice = Self.line(
                "{" + (Self.members + [member]).joined(separator: ",") + Self.end)
            let header = try #require(RecordHeader(twice, twice.indices), "\(member) twice")
            #expect(members(header, twice) == parsed(whole, whole.indices))
        }
    }

    @Test func `a line that ends anywhere in a record is a record only after a whole member`() {
        let whole = "{" + Self.members.joined(separator: ",")
        let ends = Set(
            Self.members.indices.map { count in
                "{".utf8.count + Self.members[...count].joined(separator: ",").utf8.count
            })
        for count in 0..<whole.utf8.count {
            let line = Self.line(String(whole.prefix(count)))
            let header = RecordHeader(line, line.indices)
            // A number may end at any of its digits.
            let isNumber = whole.utf8.prefix(count).last.map { (0x30...0x39).contains($0) } == true
            if header != nil { #expect(ends.contains(count) || isNumber) }
            if let header { #expect(parsed(line, line.indices) == members(header, line)) }
        }
    }

    @Test(arguments: [
        #""\u0061t":5"#, #""a\"t":5"#, #""at" :5"#, #" "at":5"#, #""At":5"#, #""at:5"#, #"at":5"#,
        #""at":5,"#, #","at":5"#, #""labelt":{}"#, #""undo":[],"undoz":1"#, #""":5"#,
        #""elenx":2"#, #""s""#, #""attttttttt":5"#,
    ])
    func `a name that is nearly the expected one is not taken for it`(member: String) {
        let start = #"{"n":9,"d":8,"op":"mark","#
        let line = Self.line(start + member)
        #expect(RecordHeader(line, line.indices) == nil)
        let good = Self.line(start + #""at":5"#)
        #expect(RecordHeader(good, good.indices) != nil)
    }

    @Test func `every name is in the list of those that are expected`() {
        let names = RecordKey.names
        #expect(names.map(\.key) == RecordKey.allCases)
        for key in RecordKey.allCases {
            let name = String(decoding: key.letters, as: UTF8.self)
            let text = (key == .sequence ? "{" : ",") + "\"\(name)\":"
            let bytes = Self.line(text + "12345678")
            var (reader, place) = (LineReader(bytes, bytes.indices), 0)
            let found = reader.take(names.span, from: &place)
            #expect(found == key)
            #expect(reader.at == text.utf8.count)
            #expect(place == names.firstIndex { $0.key == key }.map { $0 + 1 })
            // The same name is not expected again.
            var again = LineReader(bytes, bytes.indices)
            let foundAgain = again.take(names.span, from: &place)
            #expect(foundAgain == nil)
            #expect(again.at == 0 && place == names.count)
        }
    }

    @Test(arguments: [
        start + usual + #","key":"9f1c","dig":"00c0ffee00c0ffeX""# + end,
        start + usual + #","elen":900,"event":{},"s":{}"#,
        start + usual + #","elen":2,"event":{},"s":"#,
        start + #","at":90071992547409921"#, start + #","unknown":1"#, start + #","at":"#,
        #"{"n":0"#, "{", "", #"{"n":9,"d":8,"op":"other","at":5"#,
        #"{"n":9,"d":8,"op":"delete","id":"a","rev":4,"at":5,"why":"lost""#,
    ])
    func `what has another form is no record`(body: String) {
        let line = Self.line(body)
        #expect(RecordHeader(line, line.indices) == nil)
    }

    @Test(
        arguments: [
            (#""prev":5"#, #""prev":9"#), (#""prev":5"#, #""prev":10"#),
            (#""born":7"#, #""born":10"#), (#""rev":1"#, #""rev":0"#),
            (#""rev":1"#, #""rev":-1"#), (#""id":"a""#, #""id":"""#),
            (#""id":"a""#, #""id":"\#(String(repeating: "a", count: 256))""#),
        ])
    func `what names a record that is not before it, or no session, is no record`(
        original: String, forged: String
    ) throws {
        let body = Self.start + #","prev":5"# + Self.usual + Self.end
        #expect(RecordHeader(Self.line(body), Self.line(body).indices) != nil)
        let place = try #require(body.firstRange(of: original))
        let other = Self.line(body[..<place.lowerBound] + forged + body[place.upperBound...])
        #expect(RecordHeader(other, other.indices) == nil)
    }

    @Test func `a number has at most 17 digits and is below 2^53`() {
        for digits in 1...20 {
            let text = String(repeating: "0", count: digits - 1) + "7"
            let line = Self.line(#"{"n":\#(text),"d":0,"op":"mark","at":1"#)
            #expect(RecordHeader(line, line.indices)?.sequence == (digits <= 17 ? 7 : nil))
        }
        for (number, isRead) in [(1 << 53 - 1, true), (1 << 53, false)] {
            let line = Self.line(#"{"n":\#(number),"d":0,"op":"mark","at":1"#)
            #expect((RecordHeader(line, line.indices)?.sequence == UInt64(number)) == isRead)
        }
    }

    @Test func `a header is small enough to be handed on by the thousand`() {
        #expect(MemoryLayout<RecordHeader>.stride <= 256)
    }
}
