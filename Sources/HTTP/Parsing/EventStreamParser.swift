internal import Bytes

/// One server-sent event.
public struct StreamedEvent: Equatable, Sendable {
    /// Its name; empty if the stream does not give one.
    public var name = ""
    /// The id that a client sends when it reconnects after this event. It is that of an earlier
    /// event if this one has none, and empty if none had one.
    public var id = ""
    /// Its data, with a line feed between the lines.
    public var data: [UInt8] = []

    public init(name: String = "", id: String = "", data: [UInt8] = []) {
        self.name = name
        self.id = id
        self.data = data
    }
}

/// An event is larger than the limit of the parser.
public struct EventTooLargeError: Error, Equatable, Sendable {
    public init() {}
}

/// Reads server-sent events, wherever their bytes are split (WHATWG HTML §9.2.6).
public struct EventStreamParser: Sendable {
    /// The time that the server wants a client to wait before it reconnects, once it has said so.
    public private(set) var retryMilliseconds: Int?
    private let eventBytesMax: Int
    private var line: [UInt8] = []
    private var follows = (carriageReturn: false, line: false)
    private var event = StreamedEvent()
    private var hasData = false

    /// A parser for a new connection.
    ///
    /// - Parameters:
    ///   - lastID: the id that the connection was opened with; empty for none.
    ///   - eventBytesMax: the size of an event that is refused if it is exceeded.
    public init(after lastID: String = "", eventBytesMax: Int) {
        event.id = lastID
        self.eventBytesMax = eventBytesMax
    }

    /// Reads the bytes that follow.
    ///
    /// - Returns: the events that end in them.
    public mutating func feed(_ bytes: [UInt8]) throws(EventTooLargeError) -> [StreamedEvent] {
        var events: [StreamedEvent] = []
        for byte in bytes {
            let isSecond = follows.carriageReturn && byte == ASCII.lineFeed
            follows.carriageReturn = byte == ASCII.carriageReturn
            if isSecond { continue }
            guard byte == ASCII.lineFeed || byte == ASCII.carriageReturn else {
                line.append(byte)
                guard line.count + event.data.count <= eventBytesMax else {
                    throw EventTooLargeError()
                }
                continue
            }
            skipByteOrderMark()
            if line.isEmpty { endEvent(&events) } else { endField() }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    /// A byte order mark is ignored in the first line only.
    private mutating func skipByteOrderMark() {
        if !follows.line, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        follows.line = true
    }

    private mutating func endEvent(_ events: inout [StreamedEvent]) {
        if hasData { events.append(event) }
        event = StreamedEvent(id: event.id)
        hasData = false
    }

    /// A field without a colon has an empty value, and one blank after the colon does not count. A
    /// line that begins with a colon is a comment.
    private mutating func endField() {
        let colon = line.firstIndex(of: ASCII.colon) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == ASCII.space { value.removeFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data":
            if hasData { event.data.append(ASCII.lineFeed) }
            event.data += value
            hasData = true
        case "event": event.name = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0): event.id = String(decoding: value, as: UTF8.self)
        case "retry":
            retryMilliseconds = Decimal.number(value, digitsMax: 9) ?? retryMilliseconds
        default: break
        }
    }
}
