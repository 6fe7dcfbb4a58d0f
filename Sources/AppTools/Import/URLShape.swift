internal import Bytes
internal import JSON

/// A part of the shape of a URL's path.
enum URLPiece: Equatable {
    /// Text, perhaps with slashes.
    case literal(String)
    /// Characters of any kind, also slashes; at least so many.
    case rest(minLength: Int)
    /// One character or more within a segment.
    case part(name: String?, schema: JSONObject)

    static let text: JSONObject = ["type": .string("string")]
    static let anyPart = URLPiece.part(name: nil, schema: Self.text)
    static let digits: JSONObject = ["type": .string("string"), "pattern": .string("^[0-9]+$")]

    /// The schema of a text of at least so many characters. Each capture has one.
    static func text(minLength: Int) -> JSONObject {
        guard minLength > 1 else { return text }
        return ["type": .string("string"), "minLength": .integer(Int64(minLength))]
    }
}

/// The shape of a path or of a fragment, as files of other systems describe it, and the patterns
/// that match it.
struct URLShape {
    private(set) var pieces: [URLPiece]
    private(set) var params: [ImportedParam] = []
    /// The patterns that together match it.
    private(set) var patterns: [Variant] = []
    /// The parts that they do not express, with their replacements.
    private(set) var lost: [String] = []

    /// A pattern with the names that it captures.
    struct Variant {
        var text: String
        var names: [String]
        /// The pieces of a path that it matches.
        var pieces: [URLPiece] = []

        /// Whether one of the patterns takes URLs from one of the others, as its rank is lower.
        static func isFirst(
            _ patterns: [Variant], _ others: [Variant], by ranks: [ExactString: Int]
        ) -> Bool {
            patterns.contains { one in
                let rank = ranks[ExactString(one.text)] ?? .max
                return others.contains { other in
                    rank < ranks[ExactString(other.text)] ?? -1
                        && URLShape.overlap(one.pieces, other.pieces)
                }
            }
        }
    }

    /// - Parameter taken: names of captures that are in use elsewhere in the pattern.
    init(_ pieces: [URLPiece], besides taken: [String] = []) {
        self.pieces = pieces
        joinNeighbors()
        keepOneRest()
        makePatterns(besides: taken)
    }

    /// The patterns as whole paths: with a slash at the beginning and none at the end.
    var paths: [Variant] {
        patterns.reduce(into: []) { paths, pattern in
            var text = pattern.text.hasPrefix("/") ? pattern.text : "/\(pattern.text)"
            if text.count > 1, text.hasSuffix("/") { text.removeLast() }
            guard !paths.contains(where: { $0.text == text }) else { return }
            paths.append(
                Variant(
                    text: text, names: pattern.names, pieces: Self.whole(pattern.pieces)))
        }
    }

    /// The pieces of a path with a slash at the beginning and none at the end.
    private static func whole(_ pieces: [URLPiece]) -> [URLPiece] {
        var pieces = pieces
        if case .literal(let text)? = pieces.first {
            pieces[0] = .literal(text.hasPrefix("/") ? text : "/\(text)")
        } else {
            pieces.insert(.literal("/"), at: 0)
        }
        if case .literal(let text)? = pieces.last, text.hasSuffix("/"), text.count > 1 {
            pieces[pieces.count - 1] = .literal(String(text.dropLast()))
        }
        return pieces
    }

    // MARK: - What patterns can have

    /// Two captures need text between them, so neighbors become one.
    private mutating func joinNeighbors() {
        var joined: [URLPiece] = []
        for piece in pieces {
            switch (joined.last, piece) {
            case (.literal(let before)?, .literal(let text)):
                joined[joined.count - 1] = .literal(before + text)
            case (.rest(let one)?, .rest(let other)):
                joined[joined.count - 1] = .rest(minLength: one + other)
            case (.rest(let length)?, .part(_, let schema)),
                (.part(_, let schema)?, .rest(let length)):
                joined[joined.count - 1] = .rest(minLength: length + 1)
                if schema != URLPiece.text {
                    lost.append("a capture beside a * or an open end takes any text")
                }
            case (.part?, .part):
                joined[joined.count - 1] = .anyPart
                lost.append("two captures that touch become one of any text")
            case (nil, _), (.literal?, _), (.rest?, .literal), (.part?, .literal):
                joined.append(piece)
            }
        }
        pieces = joined
    }

    /// A pattern has one rest, which has the beginning or the end of a segment at one side.
    private mutating func keepOneRest() {
        let rests = pieces.indices.filter { pieces[$0].isRest }
        guard !rests.isEmpty else { return }
        let kept = rests.last { isOpen(before: $0) || isOpen(after: $0) }
        for index in rests where index != kept {
            let isWithin = !isOpen(before: index) && !isOpen(after: index)
            if case .rest(let length) = pieces[index] {
                pieces[index] = .part(name: nil, schema: URLPiece.text(minLength: length))
            }
            lost.append(
                isWithin
                    ? "* within a word becomes a capture of one character or more in the segment"
                    : "a second * becomes a capture of one segment")
        }
    }

    private func isOpen(before index: Int) -> Bool {
        guard index > 0 else { return true }
        if case .literal(let text) = pieces[index - 1] { return text.hasSuffix("/") }
        return false
    }

    private func isOpen(after index: Int) -> Bool {
        guard index + 1 < pieces.count else { return true }
        if case .literal(let text) = pieces[index + 1] { return text.hasPrefix("/") }
        return false
    }

    // MARK: - Patterns

    private mutating func makePatterns(besides taken: [String]) {
        let rest = pieces.firstIndex(where: \.isRest)
        var names: [String] = []
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .literal: names.append("")
            case .rest(let length):
                let before = length > 0 && index > 0 ? pieces[index - 1].lastWord : nil
                let name = Self.unused(before ?? "rest", taken + names)
                names.append(name)
                params.append(
                    ImportedParam(
                        name: name, schema: URLPiece.text(minLength: length),
                        isRequired: length > 0))
            case .part(let wanted, let schema):
                let before = index > 0 ? pieces[index - 1].lastWord : nil
                let name = Self.unused(wanted ?? before ?? "part", taken + names)
                names.append(name)
                params.append(ImportedParam(name: name, schema: schema, isRequired: true))
            }
        }
        let named = Array(zip(pieces, names))
        guard let rest, case .rest(let length) = pieces[rest] else { return add(named) }
        var full = named
        full[rest].0 = .rest(minLength: max(length, 1))
        add(full)
        if !isOpen(before: rest) || !isOpen(after: rest) {
            // The rest of /buy* also begins behind a slash, and that of *new ends before one.
            full.insert((.literal("/"), ""), at: isOpen(before: rest) ? rest + 1 : rest)
            add(full)
            if length > 1 {
                lost.append("a slash at the beginning or the end of a * is no character of it")
            }
        }
        if length == 0 {
            var fewer = named
            fewer.remove(at: rest)
            add(fewer)
        }
    }

    private mutating func add(_ named: [(piece: URLPiece, name: String)]) {
        let text = named.map { piece, name in
            switch piece {
            case .literal(let text): Self.escaped(text)
            case .rest: "{\(name)*}"
            case .part: "{\(name)}"
            }
        }.joined()
        guard !patterns.contains(where: { $0.text == text }) else { return }
        patterns.append(
            Variant(
                text: text, names: named.map(\.name).filter { !$0.isEmpty },
                pieces: Self.joiningText(named.map(\.piece))))
    }

    /// The pieces without a text behind a text, so that equal paths have equal pieces.
    private static func joiningText(_ pieces: [URLPiece]) -> [URLPiece] {
        pieces.reduce(into: []) { joined, piece in
            if case .literal(let before)? = joined.last, case .literal(let text) = piece {
                joined[joined.count - 1] = .literal(before + text)
            } else {
                joined.append(piece)
            }
        }
    }

    /// A valid name that is not in the list.
    static func unused(_ wanted: String, _ taken: [String]) -> String {
        let base = ImportedApp.name(from: wanted) ?? "part"
        var name = base
        var number = 2
        while taken.contains(where: { $0 == name }) {
            name = "\(base)\(number)"
            number += 1
        }
        return name
    }

    /// The text as it is written in a pattern. Percent-encoding in it stays.
    static func escaped(_ text: String, besides others: String = "%/") -> String {
        let kept = Array("!$&'()*+,;=:@\(others)".utf8)
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            let isKept = scalar.isASCII && kept.contains(UInt8(scalar.value))
            result += isKept ? String(scalar) : PercentCoding.encode(String(scalar))
        }
    }

    // MARK: - Other uses

    /// Whether some text has the form of both.
    static func overlap(_ left: [URLPiece], _ right: [URLPiece]) -> Bool {
        let (a, b) = (items(left), items(right))
        // Whether the items that were read share a text with each beginning of `b`.
        var row = [true]
        for item in b { row.append(item.mayBeEmpty && row[row.count - 1]) }
        for item in a {
            var next = [item.mayBeEmpty && row[0]]
            for (index, other) in b.enumerated() {
                let isShared =
                    item.mayBeEmpty && row[index + 1] || other.mayBeEmpty && next[index]
                    || item.absorbs(other) && next[index] || other.absorbs(item) && row[index + 1]
                    || item.meets(other) && row[index]
                next.append(isShared)
            }
            row = next
        }
        return row[b.count]
    }

    private static func items(_ pieces: [URLPiece]) -> [GlobItem] {
        pieces.flatMap { piece -> [GlobItem] in
            switch piece {
            case .literal(let text): text.utf8.map { .byte($0) }
            case .rest(0): [.text]
            case .rest: [.character, .text]
            case .part(_, URLPiece.digits): [.digit, .digits]
            case .part: [.character, .word]
            }
        }
    }

    /// Whether every path has it.
    var isAny: Bool {
        pieces == [.rest(minLength: 0)] || pieces == [.literal("/"), .rest(minLength: 0)]
    }

    /// Paths of the pieces. They are so odd and so different that an expression which matches all
    /// of them matches every path of the pieces. There is one if the pieces are text.
    static func samples(_ pieces: [URLPiece]) -> [String] {
        let fillers = [
            (rest: "", part: "~", digits: "0"), (rest: "~", part: "~", digits: "0"),
            (rest: "~/~", part: "~~", digits: "93"),
        ]
        var samples: [String] = []
        for filler in fillers {
            let text = pieces.map { piece in
                switch piece {
                case .literal(let text): text
                case .rest(let length): String(repeating: "~", count: length) + filler.rest
                case .part(_, URLPiece.digits): filler.digits
                case .part: filler.part
                }
            }.joined()
            let path = text.hasPrefix("/") ? text : "/\(text)"
            if !samples.contains(where: { $0 == path }) { samples.append(path) }
        }
        return samples
    }

    /// The words of the literal text.
    var words: [String] {
        pieces.flatMap { piece -> [String] in
            if case .literal(let text) = piece { ImportedApp.words(of: text) } else { [] }
        }
    }
}

/// An item of a shape, for the comparison of two.
private enum GlobItem {
    case byte(UInt8)
    /// Any character but a slash.
    case character
    /// Any characters but slashes, also none.
    case word
    case digit
    /// Digits, also none.
    case digits
    /// Any characters, also none.
    case text

    var mayBeEmpty: Bool {
        switch self {
        case .word, .digits, .text: true
        case .byte, .character, .digit: false
        }
    }

    /// Whether it can take what another item takes, and go on.
    func absorbs(_ other: GlobItem) -> Bool {
        switch (self, other) {
        case (.text, _): true
        case (.word, .byte(let byte)): byte != UInt8(ascii: "/")
        case (.word, .character), (.word, .word), (.word, .digit), (.word, .digits): true
        case (.digits, .byte(let byte)): ASCII.isDigit(byte)
        case (.digits, .digit), (.digits, .digits): true
        case (.digits, .character), (.digits, .word), (.digits, .text), (.word, .text),
            (.byte, _), (.character, _), (.digit, _):
            false
        }
    }

    /// Whether two single characters can be the same.
    func meets(_ other: GlobItem) -> Bool {
        switch (self, other) {
        case (.byte(let one), .byte(let two)): one == two
        case (.byte(let byte), .character), (.character, .byte(let byte)):
            byte != UInt8(ascii: "/")
        case (.byte(let byte), .digit), (.digit, .byte(let byte)): ASCII.isDigit(byte)
        case (.character, .character), (.digit, .digit), (.digit, .character),
            (.character, .digit):
            true
        case (.word, _), (.text, _), (.digits, _), (_, .word), (_, .text), (_, .digits): false
        }
    }
}

extension URLPiece {
    var isRest: Bool {
        if case .rest = self { true } else { false }
    }

    /// The last word of a literal text, from which a capture behind it has its name.
    fileprivate var lastWord: String? {
        guard case .literal(let text) = self else { return nil }
        return ImportedApp.words(of: text).last { $0.first?.isLetter ?? false }
    }
}
