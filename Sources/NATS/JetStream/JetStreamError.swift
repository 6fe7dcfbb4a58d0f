internal import Bytes
public import JSON

/// An error that JetStream reports in a response.
public struct JetStreamError: Error, Equatable, Sendable {
    /// A code with the meaning of an HTTP status: 400, 404, 500 or 503.
    public let code: Int
    /// The error code (`err_code`), which identifies the error in every server version; 0 if the
    /// server sent none.
    public let number: Int
    /// The server's description of the error; empty if the server sent none.
    public let description: String

    public init(code: Int, number: Int, description: String) {
        self.code = code
        self.number = number
        self.description = description
    }

    init(_ members: JSONObject) throws(BodyError) {
        code = try members.number("code")
        number = try members.number("err_code", or: 0)
        description = try members.text("description", or: "")
    }

    /// The errors that callers handle differently. All others are `other`.
    public enum Kind: Equatable, Sendable {
        /// 10071: the last message of the subject does not have the expected sequence. The value is
        /// the actual sequence; 0 means that the subject has no messages. It is nil if the server's
        /// description does not end in a sequence.
        case wrongLastSequence(Int?)
        /// 10164: another publish to the subject has not been replicated yet.
        case writeInFlight
        /// 10002: the account has reached its resource limits; 10023: the server is out of memory
        /// or disk space; 10047: it has less storage left than the request would reserve.
        case noSpace
        /// 10077: the leader could not store the message. The other servers may have it.
        case storeFailed
        /// 10005: fewer servers can take a copy of the stream than it is to have.
        case tooFewPeers
        /// 10074: a server that is not part of a cluster cannot have several copies of a stream.
        case notClustered
        /// 10008, 10009 and others: the servers cannot answer at the moment, for instance because
        /// they have no leader; try again.
        case temporarilyUnavailable
        /// 10039, 10076: JetStream is not enabled, or a server has turned it off.
        case notEnabled
        /// 10037
        case messageNotFound
        /// 10059
        case streamNotFound
        /// 10058: a stream with this name exists with a different configuration.
        case streamExists
        case other
    }

    public var kind: Kind {
        switch number {
        case 10_071: .wrongLastSequence(lastNumber)
        case 10_164: .writeInFlight
        case 10_002, 10_023, 10_047: .noSpace
        case 10_077: .storeFailed
        case 10_005: .tooFewPeers
        case 10_074: .notClustered
        // 10004: not all have answered; 10007: the server does not know the stream yet; 10041: an
        // error of the replication; 10118: the stream is offline; 10167: too many requests.
        case 10_004, 10_007, 10_008, 10_009, 10_041, 10_118, 10_167: .temporarilyUnavailable
        case 10_039, 10_076: .notEnabled
        case 10_037: .messageNotFound
        case 10_059: .streamNotFound
        case 10_058: .streamExists
        // These have code 503, too, but no time helps: the servers are not what is needed.
        case 10_010, 10_012, 10_013, 10_036, 10_148: .other
        default: code == 503 ? .temporarilyUnavailable : .other
        }
    }

    /// The sequence at the end of the description, after a colon and a space.
    private var lastNumber: Int? {
        guard let colon = description.lastIndex(of: ":") else { return nil }
        let digits = description[colon...].dropFirst(2)
        return Decimal.number(digits.utf8, digitsMax: 18)
    }
}

/// The outcome of a request to which the server has responded.
public enum Answer<Value: Sendable>: Sendable {
    case value(Value)
    case refused(JetStreamError)
    /// Status 503 with an empty payload: nobody is subscribed to the subject, so the request had no
    /// effect. A stream without a leader looks the same.
    case noResponders
}

extension Answer: Equatable where Value: Equatable {}

/// The JSON body of a successful response.
public protocol AnswerBody: Sendable {
    /// Reads the members that are needed and ignores all others.
    init(_ members: JSONObject) throws(BodyError)
}

extension Message {
    /// Reads this message as a response of the JetStream API or as a publish ack.
    public func answer<Value: AnswerBody>(
        as type: Value.Type = Value.self
    ) throws(BodyError) -> Answer<Value> {
        if let status = try status() {
            guard status.code == 503, payload.isEmpty else { throw .status(status.code) }
            return .noResponders
        }
        let members = try JSONBody.object(bytes, payload)
        if let error = try members.object("error") { return .refused(try JetStreamError(error)) }
        return .value(try Value(members))
    }

    /// Reads this message as a publish ack.
    public func publishAck() throws(BodyError) -> Answer<PublishAck> {
        if try status() == nil, let ack = PublishAck(usual: bytes[payload]) { return .value(ack) }
        return try answer()
    }

    /// The status in the header block, if the message has one.
    public func status() throws(BodyError) -> Headers.Status? { try checkedHeaders()?.status }

    /// The headers, with errors reported as errors of the body.
    func checkedHeaders() throws(BodyError) -> Headers? {
        do throws(HeaderError) {
            return try headers()
        } catch {
            throw .header(error)
        }
    }
}

/// A publish ack: a majority of the stream's replicas has stored the message.
public struct PublishAck: AnswerBody, Equatable {
    public let stream: String
    /// The stream sequence of the message, 1 or greater.
    public let sequence: Int

    public init(_ members: JSONObject) throws(BodyError) {
        stream = try members.text("stream")
        sequence = try members.sequence("seq")
    }

    /// Reads `{"stream":"NAV_000","seq":1}`, as servers write it. As JSON, it takes 4 % of a node's
    /// instructions for a change. Nil for any other text.
    init?(usual text: ArraySlice<UInt8>) {
        let (beginning, middle): (StaticString, StaticString) = (#"{"stream":""#, #"","seq":"#)
        let bytes = text.span
        let start = beginning.utf8CodeUnitCount
        guard bytes.count > start, bytes.isSame(as: beginning, in: 0..<start) else { return nil }
        let end = bytes.index(of: ASCII.quote, in: start..<bytes.count)
        let digits = end + middle.utf8CodeUnitCount
        let name = text.dropFirst(start).prefix(end - start)
        guard digits < bytes.count - 1, bytes.isSame(as: middle, in: end..<digits),
            bytes[digits] != ASCII.zero, bytes[bytes.count - 1] == 0x7D,
            name.allSatisfy({ $0 > ASCII.space && $0 != ASCII.backslash }),
            let stream = String(utf8: name),
            let number = Decimal.number(text.dropFirst(digits).dropLast(), digitsMax: 13),
            JSONBody.sequences.contains(number)
        else { return nil }
        (self.stream, sequence) = (stream, number)
    }
}
