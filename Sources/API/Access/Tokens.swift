internal import Bytes
public import HTTP
internal import Navigation
public import Sessions

/// The tokens of the server. Only their digests are kept.
///
/// Without any token every client may do everything.
public struct Tokens: Equatable, Sendable {
    private var grants: [Grant] = []

    /// The permissions of a token, and its holder.
    struct Grant: Equatable, Sendable {
        fileprivate var digest: TokenDigest
        var scope: Scope
        var name: TokenName?
        var limits: TokenLimits?

        var admission: Admission { Admission(name: name, limits: limits) }
    }

    public init() {}

    /// Whether there are no tokens.
    public var isEmpty: Bool { grants.isEmpty }
    /// The number of tokens.
    public var count: Int { grants.count }

    /// Adds a token.
    ///
    /// - Throws: if the text is not a token, or is one of the tokens already.
    public mutating func add(
        _ token: Substring, _ scope: Scope, name: TokenName? = nil, limits: TokenLimits? = nil
    ) throws(TokenTextError) {
        guard Self.isToken(token) else { throw .notAToken }
        let digest = SHA256.digest(of: token.utf8)
        guard grant(of: digest) == nil else { throw .repeated }
        guard limits == nil || scope == .control else { throw .limitsOfScope }
        grants.append(Grant(digest: digest, scope: scope, name: name, limits: limits))
    }

    /// The grant of the token with this digest, or nil for an unknown token. It compares all
    /// digests, so that the time does not depend on the token.
    func grant(of digest: TokenDigest) -> Grant? {
        var found: Int?
        for index in grants.indices where grants[index].digest == digest { found = index }
        return found.map { grants[$0] }
    }

    /// `b64token` of RFC 6750 §2.1, up to 512 characters.
    static func isToken(_ text: Substring) -> Bool {
        let bytes = text.utf8
        let body = bytes.prefix { $0 != 0x3D }
        return (1...512).contains(bytes.count) && !body.isEmpty && body.allSatisfy(isTokenByte)
            && bytes.dropFirst(body.count).allSatisfy { $0 == 0x3D }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x2B, 0x2F: true
        default: false
        }
    }
}

/// Why a token is refused. It never contains the token.
public enum TokenTextError: Error, Equatable {
    case notAToken, repeated, noScope, unknownScope, badName, tooManyWords
    case badCommands, badRoutes, limitsOfScope, notText, byteOrderMark, none

    /// The reason and what to do, for the operator.
    public var detail: String {
        switch self {
        case .notAToken:
            "a token must be 1 to 512 letters, digits or - . _ ~ + / and may end in =; "
                + "make one with: openssl rand -hex 32"
        case .repeated: "the token is given twice"
        case .noScope: "the scope is missing; add read, control or admin after the token"
        case .unknownScope: "the scope must be read, control or admin"
        case .badName: "the name " + nameRule(TokenName.self)
        case .tooManyWords:
            "there is text after the name; write TOKEN SCOPE NAME, and then commands=A,B and "
                + "routes=A,B if the token is limited"
        case .badCommands:
            "commands= must be followed by 1 to \(TokenLimits.itemsMax) names of commands, signal or "
                + "create, with commas between them"
        case .badRoutes:
            "routes= must be followed by 1 to \(TokenLimits.itemsMax) names of routes, or of groups "
                + "with @ before them, with commas between them"
        case .limitsOfScope: "commands= and routes= are only for tokens with the scope control"
        case .notText: "the file is not UTF-8"
        case .byteOrderMark: "the file begins with a byte order mark; save it without one"
        case .none: "it contains no token, which would leave the server open"
        }
    }
}

/// A fault in a token file.
public struct TokenFileError: Error, Equatable, CustomStringConvertible {
    /// The number of the line, from 1; 0 if the fault is in the whole file.
    public var line: Int
    /// The fault.
    public var fault: TokenTextError

    public init(line: Int, fault: TokenTextError) {
        self.line = line
        self.fault = fault
    }

    public var description: String {
        line == 0 ? fault.detail : "line \(line): \(fault.detail)"
    }
}

extension Tokens {
    /// Adds the tokens of a file. Each line is `TOKEN SCOPE [NAME] [commands=…] [routes=…]`; empty
    /// lines and lines that begin with `#` are skipped.
    public mutating func add(file bytes: [UInt8]) throws(TokenFileError) {
        let text: String
        do {
            text = try Self.text(of: bytes)
        } catch {
            throw TokenFileError(line: 0, fault: error)
        }
        let before = count
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            do {
                try add(line: line)
            } catch {
                throw TokenFileError(line: index + 1, fault: error)
            }
        }
        guard count > before else { throw TokenFileError(line: 0, fault: .none) }
    }

    private mutating func add(line: Substring) throws(TokenTextError) {
        var words = line.unicodeScalars.split { $0 == " " || $0 == "\t" }.map { Substring($0) }
        guard let token = words.first, !token.hasPrefix("#") else { return }
        guard words.count > 1 else { throw .noScope }
        let limits = try Self.takeLimits(from: &words)
        guard words.count <= 3 else { throw .tooManyWords }
        guard let scope = Scope(named: String(words[1])) else { throw .unknownScope }
        guard words.count == 3 else { return try add(token, scope, limits: limits) }
        guard let name = TokenName(String(words[2])) else { throw .badName }
        try add(token, scope, name: name, limits: limits)
    }

    /// Takes the lists of commands and routes from the end of a line.
    private static func takeLimits(
        from words: inout [Substring]
    ) throws(TokenTextError) -> TokenLimits? {
        var (commands, routes): ([TokenCommand]?, [RouteSelector]?) = (nil, nil)
        while words.count > 2, let word = words.last, word.utf8.contains(UInt8(ascii: "=")) {
            if word.hasPrefix("commands="), commands == nil {
                commands = items(of: word) { TokenCommand($0) }
                guard commands != nil else { throw .badCommands }
            } else if word.hasPrefix("routes="), routes == nil {
                routes = items(of: word, RouteSelector.init)
                guard routes != nil else { throw .badRoutes }
            } else {
                throw .tooManyWords
            }
            words.removeLast()
        }
        return TokenLimits(commands: commands, routes: routes)
    }

    /// The items after the equals sign. Nil if there are none or too many, or if one is invalid.
    private static func items<Item: Hashable>(
        of word: Substring, _ read: (String) -> Item?
    ) -> [Item]? {
        let text = word.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst()
        let names = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let items = names.compactMap { read(String(Substring($0))) }
        guard (1...TokenLimits.itemsMax).contains(names.count), items.count == names.count else {
            return nil
        }
        return items.withoutRepeats
    }

    /// Adds the token of `NAVSTATE_TOKEN`, or of the file that `NAVSTATE_TOKEN_FILE` names, without
    /// the white space around it. It has the scope `admin`.
    public mutating func add(secret bytes: [UInt8]) throws(TokenTextError) {
        let words = try Self.text(of: bytes).split(whereSeparator: \.isWhitespace)
        guard let token = words.first else { throw .none }
        guard words.count == 1 else { throw .notAToken }
        try add(token, .admin)
    }

    private static func text(of bytes: [UInt8]) throws(TokenTextError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        guard text.unicodeScalars.first != "\u{FEFF}" else { throw .byteOrderMark }
        return text
    }
}

/// The token that a request carries.
public enum Bearer {
    /// The bytes of the token in the request: `Authorization: Bearer TOKEN`, with the scheme in any
    /// case. Nil for a request without a token.
    public static func range(in request: Request) -> Range<Int>? {
        guard let field = request[.authorization] else { return nil }
        let scheme = field.prefix(6)
        guard scheme.count == 6,
            request.bytes[scheme.startIndex..<scheme.endIndex].lazy.map({ $0 | 0x20 })
                .elementsEqual("bearer".utf8)
        else { return nil }
        let rest = scheme.endIndex..<field.upperBound
        let blanks = request.bytes[rest].prefix { $0 == 0x20 }
        guard !blanks.isEmpty, blanks.endIndex < rest.upperBound else { return nil }
        return blanks.endIndex..<rest.upperBound
    }
}
