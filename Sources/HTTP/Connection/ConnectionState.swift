// The life of one connection, without its socket.
//
// The event loop reports what happened and does what it is told. Each report carries the time, in
// milliseconds of a clock that does not go back. Nothing here reads, writes, parses or waits. The
// transitions between phases are the table in `ConnectionTransition`.
//
// A connection has one request in work at a time. Until it is answered, nothing more is read from
// the connection: what has been read already waits in its buffer and the rest waits in the kernel,
// so pipelining is bounded by the buffer. A peer that only ended its writing side still gets its
// answers (RFC 9112 §9.6 is about the other direction, and clients do it with `shutdown(2)`).
//
// A worked example: `GET` with `Connection: close`.
//
//     var state = ConnectionState(deadlines, at: 0)
//     state.read(37, at: 5)                 the parser gives a request with keepsAlive == false
//     state.requested(keepsAlive: false)    the service answers
//     state.answered(closes: false, at: 6)  the answer is written
//     state.wroteAll(at: 6)                 → .shutDownWriting
//     state.readEnd(at: 7)                  → .close

/// The next step after input, or when the server shuts down.
public enum InputAction: Equatable, Sendable {
    /// Nothing.
    case wait
    /// Close the connection.
    case close
}

/// The next step when the parser needs more bytes.
public enum ParseAction: Equatable, Sendable {
    /// Read more.
    case wait
    /// Write `100 Continue` before anything else, then read more.
    case sendContinue
    /// Close the connection: the rest of the request cannot arrive.
    case close
}

/// The next step when everything is written.
public enum OutputAction: Equatable, Sendable {
    /// Nothing: the answer, or the next part of the stream, is not there yet.
    case wait
    /// Parse what is left in the buffer; if it is empty, read.
    case nextRequest
    /// `shutdown(SHUT_WR)`, then read and discard.
    case shutDownWriting
    /// Close the connection.
    case close
}

/// The next step when a deadline may have passed.
public enum DeadlineAction: Equatable, Sendable {
    /// Nothing: it has not passed.
    case wait
    /// Encode a 408, then report `wroteSome` or `wroteAll`.
    case timeOut
    /// Close the connection.
    case close
    /// Close with a reset, so that the kernel keeps no output for a peer that does not read.
    case abort
}

/// The life of one connection. A value of a few words.
public struct ConnectionState: Sendable {
    /// The phases of a connection.
    public enum Phase: UInt8, CaseIterable, Sendable {
        /// Between two requests, or before the first.
        case idle
        /// A request's head is arriving.
        case head
        /// A request's content is arriving.
        case body
        /// The service has the request.
        case answering
        /// The answer is a stream that has not ended.
        case streaming
        /// An answer is being written.
        case writing
        /// The last answer is written, and input is discarded until the peer closes.
        case lingering
        case closed
    }

    /// The current phase.
    public private(set) var phase = Phase.idle
    /// The peer has ended its writing side.
    public private(set) var isHalfClosed = false
    /// The connection closes after the answer that is being made or written.
    public private(set) var closesAfterAnswer = false
    /// The server shuts down: the request in work is the last one.
    private var isDraining = false
    /// Whether there are bytes that the peer has not taken.
    private var hasOutput = false
    /// The time from which the deadline counts.
    public private(set) var since: Int64
    /// Bytes of the content that have arrived, or bytes discarded while lingering.
    private var bytes = 0
    private let deadlines: Deadlines

    /// An idle connection, accepted at `now`.
    public init(_ deadlines: Deadlines, at now: Int64) {
        self.deadlines = deadlines
        since = now
    }

    /// Whether to read.
    public var wantsInput: Bool {
        switch phase {
        case .idle, .head, .body, .lingering: !isHalfClosed
        case .answering, .streaming, .writing, .closed: false
        }
    }

    /// When to call `expired`, or nil while the service has the request and nothing is unwritten.
    public var deadline: Int64? {
        switch phase {
        case .idle: since + deadlines.idleMilliseconds
        case .head: since + deadlines.headMilliseconds
        case .body: since + deadlines.bodyMilliseconds + bodyCredit
        case .writing: since + deadlines.writeMilliseconds
        case .answering, .streaming: hasOutput ? since + deadlines.writeMilliseconds : nil
        case .lingering: since + deadlines.lingerMilliseconds
        case .closed: nil
        }
    }

    /// The time that the content received so far would have needed at the lowest allowed rate.
    private var bodyCredit: Int64 {
        Int64(bytes) * 1_000 / max(1, deadlines.bodyBytesPerSecondMin)
    }

    /// Changes the phase as the table says.
    ///
    /// - Returns: what the event loop has to do.
    @discardableResult
    private mutating func apply(
        _ event: ConnectionTransition.Event, at now: Int64
    ) -> ConnectionTransition.Action {
        guard let transition = ConnectionTransition.find(phase, event) else {
            assertionFailure("the event \(event) is not expected in the phase \(phase)")
            return .none
        }
        guard let next = transition.next else { return .none }
        phase = next
        since = now
        bytes = 0
        return transition.action
    }
}

// MARK: - Input

extension ConnectionState {
    /// `count` bytes have arrived. Report the parser's verdict next, except while lingering.
    public mutating func read(_ count: Int, at now: Int64) -> InputAction {
        switch phase {
        case .idle, .head, .answering, .streaming, .writing, .closed: return .wait
        case .body:
            bytes += count
            return .wait
        case .lingering:
            bytes += count
            guard bytes > deadlines.lingerBytesMax else { return .wait }
            return apply(.lingerLimitExceeded, at: now) == .close ? .close : .wait
        }
    }

    /// The parser needs more bytes. The head's deadline counts from its first byte and the
    /// content's from the end of the head; bytes that arrive later do not set them back.
    public mutating func needs(_ need: ParseStatus, at now: Int64) -> ParseAction {
        switch need {
        case .message: break
        case .head: apply(.messageBegan, at: now)
        case .body(let sendsContinue):
            apply(.contentExpected, at: now)
            if sendsContinue, !isHalfClosed { return .sendContinue }
        }
        guard isHalfClosed else { return .wait }
        return apply(.inputEnded, at: now) == .close ? .close : .wait
    }

    /// The parser has a request. Give it to the service; report `answered` or `streamed`.
    public mutating func requested(keepsAlive: Bool) {
        apply(.requestComplete, at: since)
        closesAfterAnswer = !keepsAlive || isDraining
    }

    /// The parser refuses. Encode the refusal; report `wroteSome` or `wroteAll`.
    public mutating func refused(at now: Int64) {
        apply(.malformed, at: now)
        closesAfterAnswer = true
        hasOutput = true
    }

    /// A read gave 0: the peer writes no more, but may still read.
    public mutating func readEnd(at now: Int64) -> InputAction {
        isHalfClosed = true
        return apply(.inputEnded, at: now) == .close ? .close : .wait
    }

    /// The connection has failed, or the server closes it. Close the socket.
    public mutating func lost(at now: Int64) { apply(.connectionLost, at: now) }
}

// MARK: - Output

extension ConnectionState {
    /// The answer is encoded and may be shown. Write it; report `wroteSome` or `wroteAll`.
    public mutating func answered(closes: Bool, at now: Int64) {
        closesAfterAnswer = closesAfterAnswer || closes
        hasOutput = true
        apply(.answerReady, at: now)
    }

    /// The head of a stream is encoded; call it again for each part that follows. Write it; report
    /// `wroteSome` or `wroteAll`.
    public mutating func streamed(at now: Int64) {
        apply(.streamStarted, at: now)
        // A peer that does not read gets no more time because more is waiting for it.
        if !hasOutput { since = now }
        hasOutput = true
    }

    /// The socket took bytes, at least one, and not all. Do not report the bytes of
    /// `100 Continue`, which give the content no more time.
    public mutating func wroteSome(at now: Int64) {
        switch phase {
        case .answering, .writing, .streaming: since = now
        case .idle, .head, .body, .lingering, .closed: break
        }
    }

    /// The socket took all bytes that were left, except those of `100 Continue`.
    public mutating func wroteAll(at now: Int64) -> OutputAction {
        switch phase {
        case .answering, .streaming:
            (since, hasOutput) = (now, false)
            return .wait
        case .writing:
            hasOutput = false
            return finishAnswer(at: now)
        case .idle, .head, .body, .lingering, .closed: return .wait
        }
    }

    /// Bytes that counted as written were not taken by the socket after all. If a request is being
    /// answered, these bytes belong to the answers before it; otherwise the next request is not
    /// begun until all is written.
    public mutating func blocked(at now: Int64) {
        switch phase {
        case .answering, .streaming: if !hasOutput { since = now }
        case .idle, .head, .body, .writing: apply(.outputBlocked, at: now)
        case .lingering, .closed: return
        }
        hasOutput = true
    }

    /// Asks whether the deadline has passed.
    public mutating func expired(at now: Int64) -> DeadlineAction {
        guard let deadline, now >= deadline else { return .wait }
        switch apply(.deadlinePassed, at: now) {
        case .timeOut:
            closesAfterAnswer = true
            hasOutput = true
            return .timeOut
        case .close: return .close
        case .abort: return .abort
        case .none, .nextRequest, .shutDownWriting: return .wait
        }
    }

    /// The server shuts down: an idle connection closes, and a request in work is the last one.
    public mutating func drain(at now: Int64) -> InputAction {
        isDraining = true
        closesAfterAnswer = true
        return apply(.shutdown, at: now) == .close ? .close : .wait
    }

    private mutating func finishAnswer(at now: Int64) -> OutputAction {
        let event: ConnectionTransition.Event =
            !closesAfterAnswer
            ? .answerWritten : isHalfClosed ? .lastExchangeFinished : .lastAnswerWritten
        return switch apply(event, at: now) {
        case .nextRequest: .nextRequest
        case .shutDownWriting: .shutDownWriting
        case .close: .close
        case .none, .timeOut, .abort: .wait
        }
    }
}

/// How long the phases of a connection may take, in milliseconds.
public struct Deadlines: Equatable, Sendable {
    /// From the first byte of a message to the end of its head.
    public var headMilliseconds: Int64 = 10_000
    /// Between two messages, or before the first.
    public var idleMilliseconds: Int64 = 75_000
    /// From the end of the head to the end of the content, plus the time that the bytes received
    /// so far would need at `bodyBytesPerSecondMin`.
    public var bodyMilliseconds: Int64 = 10_000
    /// The lowest rate at which content may arrive. A slow mobile uplink is ten times as fast.
    public var bodyBytesPerSecondMin: Int64 = 1_024
    /// A peer that reads no byte of an answer for this long is disconnected with a reset.
    public var writeMilliseconds: Int64 = 20_000
    /// How long input is discarded after the last answer, which a reset could otherwise destroy.
    public var lingerMilliseconds: Int64 = 2_000
    /// How much input is discarded: content may be refused before it has arrived, and many clients
    /// read no answer before they have sent all of it.
    public var lingerBytesMax = 16 << 20

    public init() {}
}
