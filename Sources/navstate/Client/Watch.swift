internal import Bytes
internal import HTTP
internal import JSON
internal import POSIX

/// Follows a live stream until its session ends.
///
/// A stream that is lost is opened again with `Last-Event-ID`, so that the server sends the changes
/// that were missed. Between two attempts is a pause, which doubles from half a second to ten
/// seconds; the server can ask for a longer one.
struct Watch {
    private let target: String
    private let client: ServerClient
    private let printer: ClientPrinter
    private let ending: [Int32]
    private var lastID = ""
    /// The pause that the server has requested.
    private var retryMilliseconds: Int64 = 0
    private var pauseMilliseconds = Self.firstPause
    /// When the last stream was lost, or nil while one is open.
    private var lostAt: Int64?
    private var hasBeenOpen = false

    private static let firstPause: Int64 = 500
    private static let longestPause: Int64 = 10_000
    /// A session is smaller than 1 MiB unless the server has other limits.
    private static let eventBytesMax = 64 << 20
    /// A problem document may contain a session.
    private static let refusalBytesMax = 64 << 20

    /// - Parameters:
    ///   - target: the path of the stream, and its query.
    ///   - ending: descriptors that end it: that of the output, whose reader may be gone, and one
    ///     that becomes readable at a signal.
    init(_ target: String, _ client: ServerClient, printer: ClientPrinter, ending: [Int32?]) {
        self.target = target
        self.client = client
        self.printer = printer
        self.ending = ending.compactMap { $0 }
    }

    /// Follows the stream.
    ///
    /// - Parameter handle: receives each event, and says whether to go on.
    /// - Throws: a `refused` error if the server refuses, an `unavailable` error if it does not
    ///   respond at first, or not again within the time limit.
    mutating func run(_ handle: (WatchedEvent) -> Bool) throws(ExitError) {
        while let error = try follow(handle) {
            guard hasBeenOpen else { throw client.unavailable(error) }
            let now = Clock.monotonicMilliseconds
            let since = lostAt ?? now
            lostAt = since
            let rest = since + client.timeoutMilliseconds - now
            guard rest > 0 else { throw client.unavailable(error) }
            if pauseMilliseconds == Self.firstPause {
                printer.note("\(error.text); connecting again")
            }
            let pause = min(max(pauseMilliseconds, retryMilliseconds), rest)
            guard try !Wait.pause(pause, ending: ending) else { return }
            pauseMilliseconds = min(pauseMilliseconds * 2, Self.longestPause)
        }
    }

    // MARK: - One connection

    /// Follows the stream over one connection.
    ///
    /// - Returns: why the connection was lost, or nil if there is nothing more to follow.
    private mutating func follow(
        _ handle: (WatchedEvent) -> Bool
    ) throws(ExitError) -> TransportError? {
        let refusal: (head: ResponseHead, document: JSON?)?
        do {
            refusal = try readStream(handle)
        } catch {
            return error == .outputClosed ? nil : error
        }
        guard let (head, document) = refusal else { return nil }
        // The server, or a proxy before it, may be starting again.
        if hasBeenOpen, head.statusCode >= 500 || head.statusCode == 429 {
            return .lost("the server responds with status \(head.statusCode)")
        }
        printer.printRefusal(head, document)
        throw ExitError(.refused, "")
    }

    /// Opens a stream and reads it.
    ///
    /// - Returns: the refusal of the server, or nil if the session or the output has ended.
    private mutating func readStream(
        _ handle: (WatchedEvent) -> Bool
    ) throws(TransportError) -> (ResponseHead, JSON?)? {
        let connection = try HTTPConnection(
            to: client.address, timeoutMilliseconds: client.timeoutMilliseconds, ending: ending)
        var request = ClientRequest("GET", target)
        request.add("Accept", "text/event-stream")
        request.add("Last-Event-ID", lastID)
        try connection.send(request.message(to: client.address, token: client.token))
        var parser = ResponseParser()
        var body: [UInt8] = []
        while parser.head == nil { body += try ServerClient.read(connection, &parser) }
        guard let head = parser.head else { throw .malformed(.incomplete) }
        guard head.statusCode == 200, head.mediaType == "text/event-stream" else {
            while !parser.isFinished, body.count <= Self.refusalBytesMax {
                body += try ServerClient.read(connection, &parser)
            }
            return (head, ClientCommand.document(body))
        }
        (hasBeenOpen, lostAt) = (true, nil)
        var events = EventStreamParser(after: lastID, eventBytesMax: Self.eventBytesMax)
        while true {
            if try read(body, &events, notifying: handle) { return nil }
            guard !parser.isFinished else { throw .lost("the server has ended the stream") }
            body = try ServerClient.read(connection, &parser)
            if !body.isEmpty { pauseMilliseconds = Self.firstPause }
        }
    }

    /// Reads the events in a part of the stream.
    ///
    /// - Returns: whether one of them is the end of the session, or the output has failed.
    private mutating func read(
        _ bytes: [UInt8], _ parser: inout EventStreamParser,
        notifying handle: (WatchedEvent) -> Bool
    ) throws(TransportError) -> Bool {
        let events: [StreamedEvent]
        do { events = try parser.feed(bytes) } catch { throw .tooLarge }
        retryMilliseconds = Int64(parser.retryMilliseconds ?? 0)
        for event in events {
            var goesOn = true
            if let event = WatchedEvent(event) {
                goesOn = handle(event)
            } else {
                printer.note("an event of the stream is not JSON")
            }
            lastID = event.id
            let isOfSession = !target.hasPrefix("/v1/events")
            let isLast = isOfSession && ["deleted", "expired"].contains(event.name)
            if isLast || !goesOn || printer.hasFailed { return true }
        }
        return false
    }
}
