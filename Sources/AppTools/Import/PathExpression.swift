internal import Bytes
internal import JSON

/// A regular expression of a path configuration, as far as patterns of links can express it:
/// literal text, `^`, `$`, `.*`, `.+`, `[^/]+`, `\d+`, `[0-9]+` and groups like `(a|b)`.
struct PathExpression {
    /// The shapes of the paths that it matches.
    private(set) var shapes: [URLShape] = []
    /// The parts that they do not express.
    private(set) var lost: [String] = []

    /// The expression has something else.
    struct Unknown: Error {
        var detail: String
    }

    /// Each group multiplies the number of shapes.
    private static let shapesMax = 32

    init(_ text: String) throws(Unknown) {
        var rest = text[...]
        let isAtStart = rest.first == "^"
        if isAtStart { rest.removeFirst() }
        var branches: [[URLPiece]] = [[]]
        var isAtEnd = false
        while let character = rest.first {
            if isAtEnd { throw Unknown(detail: "$ is only supported at the end") }
            if String(rest) == "$" {
                isAtEnd = true
                rest.removeFirst()
            } else if character == "(" {
                try Self.readGroup(&rest, &branches)
            } else {
                let piece = try Self.piece(&rest)
                for index in branches.indices { branches[index].append(piece) }
            }
        }
        for pieces in branches { add(pieces, isAtStart: isAtStart, isAtEnd: isAtEnd) }
    }

    /// An expression may match anywhere in the path. A pattern has room for what is before or for
    /// what is behind, so the beginning counts where neither is fixed.
    private mutating func add(_ pieces: [URLPiece], isAtStart: Bool, isAtEnd: Bool) {
        var pieces = pieces
        let hasRest = pieces.contains(where: \.isRest)
        if !isAtEnd, !hasRest { pieces.append(.rest(minLength: 0)) }
        if !isAtEnd, pieces.last?.isRest == false {
            lost.append("also matches paths that go on behind it, but the link does not; write $")
        }
        if !isAtStart {
            if isAtEnd, !hasRest {
                pieces.insert(.rest(minLength: 0), at: 0)
            } else if pieces.first != .rest(minLength: 0) {
                lost.append(
                    "matches anywhere in the path, but the link only at its beginning; write ^")
            }
        }
        shapes.append(URLShape(pieces))
    }

    // MARK: - Reading

    private static func readGroup(
        _ rest: inout Substring, _ branches: inout [[URLPiece]]
    ) throws(Unknown) {
        guard let end = rest.firstIndex(of: ")") else { throw Unknown(detail: "a ) is missing") }
        var inner = rest[rest.utf8.index(after: rest.startIndex)..<end]
        if inner.hasPrefix("?:") { inner = inner.dropFirst(2) }
        rest = rest[rest.utf8.index(after: end)...]
        var alternatives: [[URLPiece]] = []
        for part in inner.split(separator: "|", omittingEmptySubsequences: false) {
            var (part, pieces) = (part, [URLPiece]())
            while !part.isEmpty { pieces.append(try piece(&part)) }
            alternatives.append(pieces)
        }
        branches = branches.flatMap { branch in alternatives.map { branch + $0 } }
        guard branches.count <= shapesMax else {
            throw Unknown(detail: "there are too many alternatives")
        }
    }

    /// The sequences that stand for other text.
    private static let wildcards: [(text: String, piece: URLPiece)] = [
        (".*", .rest(minLength: 0)), (".+", .rest(minLength: 1)),
        ("[^/]+", .anyPart), ("\\d+", digits), ("[0-9]+", digits),
    ]

    private static let digits = URLPiece.part(name: nil, schema: URLPiece.digits)

    private static func piece(_ rest: inout Substring) throws(Unknown) -> URLPiece {
        for (text, piece) in wildcards where rest.hasPrefix(text) {
            rest = rest.dropFirst(text.count)
            try checkNoRepeat(rest)
            return piece
        }
        var character = rest.removeFirst()
        if character == "\\" {
            guard let escaped = rest.first, escaped.isASCII, !escaped.isLetter, !escaped.isNumber
            else { throw Unknown(detail: "\\\(rest.prefix(1)) is not supported") }
            character = rest.removeFirst()
            if character == "?" { throw Unknown(detail: "a query is not supported") }
        } else if ".*+?()[]{}|^$".contains(character) {
            throw Unknown(detail: "\(character) is not supported here")
        }
        try checkNoRepeat(rest)
        return .literal(String(character))
    }

    private static func checkNoRepeat(_ rest: Substring) throws(Unknown) {
        if let next = rest.first, "*+?{".contains(next) {
            throw Unknown(detail: "\(next) is not supported here")
        }
    }
}
