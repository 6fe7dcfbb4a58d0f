import Foundation

/// One event of a stream, before its data is decoded.
struct ServerSentEvent: Sendable, Hashable {
    var name = ""
    var data = ""
    /// The id of this event, or of the last event before it that had one.
    var id = ""
}

/// Parses `text/event-stream` as it arrives, wherever the bytes are split (HTML Living Standard,
/// section 9.2.6).
struct EventStreamParser: Sendable {
    /// The maximum size of one event.
    static let eventBytesMax = 64 << 20

    /// How long the server wants clients to wait before they reconnect.
    private(set) var retryMilliseconds: Int?

    private var line: [UInt8] = []
    private var endedWithCR = false
    private var isFirstLine = true
    private var event = ServerSentEvent()
    private var dataLines: [String] = []
    private var eventBytes = 0

    /// Parses more bytes and returns the events that are now complete.
    mutating func push(_ bytes: Data) throws(NavstateError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let isSecondHalf = endedWithCR && byte == UInt8(ascii: "\n")
            endedWithCR = byte == UInt8(ascii: "\r")
            if isSecondHalf { continue }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        guard eventBytes + line.count <= Self.eventBytesMax else {
            throw .unexpected("An event has more than \(Self.eventBytesMax) bytes.")
        }
        return events
    }

    /// Parses a complete line. Returns the event if the line is the empty one that ends it.
    private mutating func endLine() -> ServerSentEvent? {
        // A byte order mark is ignored, but only at the beginning of a stream.
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        let text = String(decoding: line, as: UTF8.self).unicodeScalars
        eventBytes += line.count
        line.removeAll(keepingCapacity: true)
        guard text.isEmpty else {
            readField(text)
            return nil
        }
        eventBytes = 0
        let isEvent = !dataLines.isEmpty
        event.data = dataLines.joined(separator: "\n")
        dataLines = []
        let complete = event
        event = ServerSentEvent(id: event.id)
        return isEvent ? complete : nil
    }

    private mutating func readField(_ text: String.UnicodeScalarView) {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        let name = String(text[..<colon])
        var value = text[colon...].dropFirst()
        if value.first == " " { value = value.dropFirst() }
        let content = String(value)
        switch name {
        case "data": dataLines.append(content)
        case "event": event.name = content
        case "id" where !value.contains("\0"): event.id = content
        case "retry" where value.allSatisfy { ("0"..."9").contains($0) }:
            retryMilliseconds = Int(content) ?? retryMilliseconds
        default: break
        }
    }
}
