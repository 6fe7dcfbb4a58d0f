/// Parses the head of a request byte by byte, from its first line to the empty line.
///
/// It can stop after any byte and continue there, so its cost is linear in the input however that
/// is split, and a bad byte is refused when it is seen and not when the line or the head ends.
/// All positions count from the first byte of the message.
///
///     phase        ends at                      then
///     emptyLines   the first byte not CR LF     method
///     method       SP                           target
///     target       SP                           version
///     version      CR LF after HTTP/d.d         lineStart     the request line is checked
///     lineStart    CR                           endOfHead
///                  a token byte                 fieldName
///     fieldName    the colon                    fieldValue
///     fieldValue   CR                           lineFeed
///     lineFeed     LF                           lineStart     the field is checked
///     endOfHead    LF                           finished
///
/// The trailers of a chunked body are read by the same state machine, from `lineStart` on; their
/// values are ignored.
struct HeadParser: Sendable {
    enum Phase: UInt8, Sendable {
        case emptyLines, method, target, version
        case lineStart, fieldName, fieldValue, lineFeed, endOfHead, finished
    }

    var phase = Phase.emptyLines
    /// The next byte to look at.
    var position = 0
    /// Where the current line begins.
    var start = 0
    /// Where the method ends, later the field's name.
    var firstEnd = 0
    /// Where the target ends, later the field's value.
    var secondEnd = 0
    /// Nil before it was read, and if it is unknown.
    var method: Method?
    var majorVersion: UInt8 = 1
    var fieldCount = 0
    /// Where the field lines begin: those of the head, later the trailers.
    var sectionStart = 0
    var isTrailer = false
    var facts = FramingFacts()
    var head = RequestHead()

    init() {}

    /// Continues until the head or the input ends. Returns true if the head has ended.
    mutating func advance(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
        while true {
            let continues =
                switch phase {
                case .emptyLines: try readEmptyLines(message, limits)
                case .method: try readMethod(message, limits)
                case .target: try readTarget(message, limits)
                case .version: try readVersion(message)
                case .lineStart: try readLineStart(message, limits)
                case .fieldName: try readFieldName(message, limits)
                case .fieldValue: try readFieldValue(message, limits)
                case .lineFeed: try readLineFeed(message)
                case .endOfHead: try readEndOfHead(message)
                case .finished: false
                }
            if !continues { return phase == .finished }
        }
    }

    /// Skips bytes and returns the first one that the closure refuses, or nil at the end of the
    /// input.
    mutating func skip(
        _ message: Span<UInt8>, while isAllowed: (UInt8) -> Bool
    ) -> UInt8? {
        var index = position
        while index < message.count {
            let byte = message[index]
            guard isAllowed(byte) else {
                position = index
                return byte
            }
            index &+= 1
        }
        position = index
        return nil
    }
}
