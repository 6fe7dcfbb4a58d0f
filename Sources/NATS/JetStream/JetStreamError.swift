internal import Bytes
package import JSON

/// Why JetStream did not do what was asked, in its own words.
package struct JetStreamError: Error, Equatable, Sendable {
    /// Like a status of HTTP: 400, 404, 500, 503.
    package let code: Int
    /// The number of the error, which is the same in every version.
    package let number: Int
    /// The server's words.
    package let description: String

    package init(code: Int, number: Int, description: String) {
        self.code = code
        self.number = number
        self.description = description
    }

    init(_ members: JSONObject) throws(BodyError) {
        code = try members.number("code")
        number = try members.number("err_code", or: 0)
        description = try members.text("description", or: "")
    }

    /// What is decided by; everything else is `other`.
    package enum Kind: Equatable, Sendable {
        /// 10071: the last message with the subject has another number, which is known if the
        /// server's words end in one; 0 means that there is no message.
        case wrongLastSequence(Int?)
        /// 10164: another write with the subject is on its way to the replicas.
        case writeInFlight
        /// 10002: the account has used up what it may.
        case accountLimits
        /// 10023: the server has no memory or no disk left for it.
        case insufficientResources
        /// 10047: the server has not the storage that was asked for.
        case insufficientStorage
        /// 10077: the stream could not store the message; it is full, or its disk failed.
        case storeFailed
        /// 10008, 10009: the servers have no leader; ask again.
        case temporarilyUnavailable
        /// 10037
        case messageNotFound
        /// 10059
        case streamNotFound
        /// 10014
        case consumerNotFound
        /// 10058: a stream with this name has another configuration.
        case streamExists
        /// 10012, 10013, 10148: a consumer with this name has another configuration.
        case consumerNotCreated
        case other
    }

    /// What is decided by.
    package var kind: Kind {
        switch number {
        case 10_071: .wrongLastSequence(lastNumber)
        case 10_164: .writeInFlight
        case 10_002: .accountLimits
        case 10_023: .insufficientResources
        case 10_047: .insufficientStorage
        case 10_077: .storeFailed
        case 10_008, 10_009: .temporarilyUnavailable
        case 10_037: .messageNotFound
        case 10_059: .streamNotFound
        case 10_014: .consumerNotFound
        case 10_058: .streamExists
        case 10_012, 10_013, 10_148: .consumerNotCreated
        default: .other
        }
    }

    /// The number at the end of the description, behind a colon and a space.
    private var lastNumber: Int? {
        guard let colon = description.lastIndex(of: ":") else { return nil }
        let digits = description[colon...].dropFirst(2)
        return Decimal.number(digits.utf8, digitsMax: 18)
    }
}

/// What came back for a request.
package enum Answer<Value: Sendable>: Sendable {
    case value(Value)
    case refused(JetStreamError)
    /// Status 503: nobody listens to the subject, so the request had no effect. A stream without a
    /// leader looks like this, too.
    case noResponders
}

extension Answer: Equatable where Value: Equatable {}

/// What is in the body of an answer.
package protocol AnswerBody: Sendable {
    /// Reads the members that are needed; the others are ignored.
    init(_ members: JSONObject) throws(BodyError)
}

extension Message {
    /// The answer to a request of the JetStream API, or the acknowledgement of a write.
    package func answer<Value: AnswerBody>(
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

    /// The status of the header block, or nil.
    package func status() throws(BodyError) -> Headers.Status? { try checkedHeaders()?.status }

    /// The headers, whose errors are those of a body.
    func checkedHeaders() throws(BodyError) -> Headers? {
        do throws(HeaderError) {
            return try headers()
        } catch {
            throw .header(error)
        }
    }
}

/// The acknowledgement of a write: the message is stored on a majority of the replicas.
package struct PublishAck: AnswerBody, Equatable {
    /// The stream that has the message.
    package let stream: String
    /// The number of the message in the stream.
    package let sequence: Int
    /// Whether the message was there before; only with `Nats-Msg-Id`, which is not sent here.
    package let isDuplicate: Bool
    /// The JetStream domain, if the servers have one.
    package let domain: String?

    package init(_ members: JSONObject) throws(BodyError) {
        stream = try members.text("stream")
        sequence = try members.number("seq")
        guard sequence > 0 else { throw .member("seq") }
        isDuplicate = try members.flag("duplicate")
        domain = members.contains("domain") ? try members.text("domain") : nil
    }
}
