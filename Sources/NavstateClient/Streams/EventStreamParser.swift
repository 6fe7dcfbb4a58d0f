import Foundation

/// One event of a stream, before its data is read.
struct ServerSentEvent: Sendable, Hashable {
    var name = ""
    var data = ""
    /// The id of this event or of the last one that had an id.
    var id = ""
}

/// Reads `text/event-stream` as it arrives, cut anywhere (HTML Living Standard, section 9.2.6).
struct EventStreamParser: Sendable {
    /// What arrives for one event must fit in here.
    static let eventBytesMax = 64 << 20

    /// How long the server wants to be left alone before the next connection.
    private(set) var retryMilliseconds: Int?

    private var line: [UInt8] = []
    private var endedWithCR = false
    private var isFirstLine = true
    private var event = ServerSentEvent()
    private var dataLines: [String] = []
    private var eventBytes = 0

    /// The events that are complete now.
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

    /// Reads a line. The event if it was the empty one at its end.
    private mutating func endLine() -> ServerSentEvent? {
        // Only at the beginning of a stream, a byte order mark is no part of the line.
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
