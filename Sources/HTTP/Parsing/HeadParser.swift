/// The head of a request, byte by byte, from its first line to the empty line.
///
/// It can stop behind any byte and go on there, so its cost is linear in the input however that
/// is cut, and a bad byte is refused when it is seen and not when the line or the head is whole.
/// All positions count from the first byte of the message.
///
///     phase        ends at                      then
///     emptyLines   the first byte not CR LF     method
///     method       SP                           target
///     target       SP                           version
///     version      CR LF behind HTTP/d.d        lineStart     the request line is judged
///     lineStart    CR                           endOfHead
///                  a token byte                 fieldName
///     fieldName    the colon                    fieldValue
///     fieldValue   CR                           lineFeed
///     lineFeed     LF                           lineStart     the field is judged
///     endOfHead    LF                           finished
///
/// The trailers of a chunked body are read by the same machine, from `lineStart`; their names are
/// then looked up by nobody.
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
    /// Nil while it is not read, and if it is none of ours.
    var method: Method?
    var majorVersion: UInt8 = 1
    var fieldCount = 0
    /// Where the section of field lines begins: that of the head, later that of the trailers.
    var sectionStart = 0
    var isTrailer = false
    var facts = FramingFacts()
    var head = RequestHead()

    @inline(__always)
    init() {}

    /// Reads on; true when the empty line is behind it, false when the input ends before.
    mutating func advance(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
        while true {
            let goesOn =
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
            if !goesOn { return phase == .finished }
        }
    }

    /// Moves over bytes that belong and gives the first that does not; nil where the input ends.
    @inline(__always)
    mutating func pass(
        _ message: Span<UInt8>, while belongs: (UInt8) -> Bool
    ) -> UInt8? {
        var index = position
        while index < message.count {
            let byte = message[index]
            guard belongs(byte) else {
                position = index
                return byte
            }
            index &+= 1
        }
        position = index
        return nil
    }
}
