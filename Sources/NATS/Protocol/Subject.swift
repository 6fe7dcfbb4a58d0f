internal import Bytes

/// Why a subject, a filter or a token is invalid.
public enum SubjectError: Error, Equatable, Sendable {
    /// The text or one of its tokens is empty.
    case emptyToken
    case tooLong(bytesMax: Int)
    /// A space, a control character or DEL.
    case byte(UInt8)
    /// A `*` or `>` where wildcards are not allowed.
    case wildcard
    /// A `.` in a single token.
    case dot
    case notUTF8
}

/// One token of a subject. Names of streams and consumers are tokens too, because they are part of
/// the subjects of the JetStream API.
public struct SubjectToken: Hashable, Sendable {
    /// The text, without dots, wildcards and whitespace.
    public let text: String

    public init(_ text: String) throws(SubjectError) {
        try SubjectRules.check(text, wildcards: false)
        guard !text.utf8.contains(ASCII.dot) else { throw .dot }
        self.text = text
    }

    /// Creates a token from text that is known to be valid.
    public init(trusted text: String) { self.text = text }

    public func hash(into hasher: inout Hasher) { ExactString(text).hash(into: &hasher) }
}

/// The subject of a message: tokens separated by dots, without wildcards.
public struct Subject: Hashable, Sendable {
    /// The tokens and the dots between them.
    public let text: String

    public init(_ text: String) throws(SubjectError) {
        try SubjectRules.check(text, wildcards: false)
        self.text = text
    }

    public init(_ bytes: ArraySlice<UInt8>) throws(SubjectError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        try self.init(text)
    }

    /// Creates a subject from parts that are known to be valid.
    public init(trusted text: String) { self.text = text }

    public func hash(into hasher: inout Hasher) { ExactString(text).hash(into: &hasher) }
}

/// A subject that may contain wildcards, for subscriptions, streams and consumers. `*` matches
/// exactly one token, and `>` as the last token matches one or more.
public struct SubjectFilter: Hashable, Sendable {
    /// The tokens and the dots between them.
    public let text: String

    public init(_ text: String) throws(SubjectError) {
        try SubjectRules.check(text, wildcards: true)
        self.text = text
    }

    /// Creates a filter that matches a single subject.
    public init(_ subject: Subject) { text = subject.text }

    /// Creates a filter from parts that are known to be valid.
    public init(trusted text: String) { self.text = text }

    public func hash(into hasher: inout Hasher) { ExactString(text).hash(into: &hasher) }
}

private enum SubjectRules {
    /// Applies the rules of a server in pedantic mode. Servers do not enforce all of these rules on
    /// the messages that they deliver.
    static func check(_ text: String, wildcards: Bool) throws(SubjectError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= ProtocolLimits.subjectBytesMax else {
            throw .tooLong(bytesMax: ProtocolLimits.subjectBytesMax)
        }
        var start = 0
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte > ASCII.space, byte != 0x7F else { throw .byte(byte) }
            if byte == ASCII.dot {
                guard index > start else { throw .emptyToken }
                start = index + 1
            }
            guard byte == ASCII.asterisk || byte == greater else { continue }
            let isWhole =
                index == start && (index + 1 == bytes.count || bytes[index + 1] == ASCII.dot)
            let isLast = index + 1 == bytes.count
            guard wildcards, isWhole, byte == ASCII.asterisk || isLast else { throw .wildcard }
        }
        guard start < bytes.count else { throw .emptyToken }
    }

    private static let greater = UInt8(ascii: ">")
}
