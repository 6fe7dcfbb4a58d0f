internal import NATS
internal import POSIX
internal import Sessions

/// The purpose of a request to the servers.
enum Purpose {
    /// The record of this change was published.
    case publication(PendingChange)
    /// The record after the expected one is looked up for this change.
    case successor(PendingChange)
    /// The loader asked the question with this number.
    case question(Int)
    /// A barrier was published in the stream of this feed.
    case barrier(Int)
    /// The stream reader asked for the next portion for this token.
    case portion(UInt64)
    /// Messages that nobody needs any more are removed.
    case removal(Removal)
}

/// The link for requests, with what every sender needs.
struct StoreRequests {
    let link: RequestLink<Purpose>
    let layout: StoreLayout
    let random: () -> UInt64

    /// How long an answer may take before the request counts as unanswered, in milliseconds.
    static let answerMilliseconds: Int64 = 1_500

    /// Asks a stream's leader for a message.
    ///
    /// - Returns: false if the request was not sent.
    func get(
        _ query: MessageQuery, from stream: SubjectToken, for purpose: Purpose, at now: Int64
    ) -> Bool {
        send(JetStreamAPI.messageGet(stream), payload: query.body, for: purpose, at: now)
    }

    /// Sends a request.
    ///
    /// - Returns: false if it was not sent.
    func send(
        _ subject: Subject, headers: [Header] = [], payload: [UInt8], for purpose: Purpose,
        at now: Int64
    ) -> Bool {
        link.request(
            subject, headers: headers, payload: payload, context: purpose,
            deadline: now + Self.answerMilliseconds)
    }
}
