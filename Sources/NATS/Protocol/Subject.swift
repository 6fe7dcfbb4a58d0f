internal import Bytes

/// What is wrong with a subject or with a token of one.
package enum SubjectError: Error, Equatable, Sendable {
    /// There is no text, or nothing between two dots or at an end.
    case emptyToken
    case tooLong(bytesMax: Int)
    /// A blank, a control byte, or DEL.
    case byte(UInt8)
    /// `*` or `>` where no wildcard may be.
    case wildcard
    /// A `.` within a token.
    case dot
    case notUTF8
}

/// One token of a subject; also the name of a stream or of a consumer, which are tokens of the
/// subjects of the JetStream API.
package struct SubjectToken: Hashable, Sendable {
    /// The text, which has no dot, no wildcard and no blank.
    package let text: String

    package init(_ text: String) throws(SubjectError) {
        try SubjectRules.check(text, wildcards: false)
        guard !text.utf8.contains(ASCII.dot) else { throw .dot }
        self.text = text
    }

    /// Takes a token of this program, without checking it.
    package init(trusted text: String) { self.text = text }
}

/// The name of a message: tokens with dots between them, without wildcards.
package struct Subject: Hashable, Sendable {
    /// The text of all tokens.
    package let text: String

    package init(_ text: String) throws(SubjectError) {
        try SubjectRules.check(text, wildcards: false)
        self.text = text
    }

    package init(_ bytes: ArraySlice<UInt8>) throws(SubjectError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        try self.init(text)
    }

    /// A subject of this code's own making, whose parts were checked.
    package init(trusted text: String) { self.text = text }

    /// The subject with one more token.
    package func appending(_ token: SubjectToken) throws(SubjectError) -> Subject {
        try Subject(text + "." + token.text)
    }
}

/// What a subscription, a stream or a consumer covers: a subject in which `*` is any one token and
/// `>` at the end is any one or more.
package struct SubjectFilter: Hashable, Sendable {
    /// The text of all tokens.
    package let text: String

    package init(_ text: String) throws(SubjectError) {
        try SubjectRules.check(text, wildcards: true)
        self.text = text
    }

    /// The filter that covers one subject.
    package init(_ subject: Subject) { text = subject.text }

    /// A filter of this code's own making, whose parts were checked.
    package init(trusted text: String) { self.text = text }
}

private enum SubjectRules {
    /// The rules of a server in pedantic mode; some of them no server checks when it delivers.
    static func check(_ text: String, wildcards: Bool) throws(SubjectError) {
        let bytes = text.utf8.span
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
