// The life of one connection, without its socket.
//
// The event loop reports what happened and does what it is told. Time comes in with each report,
// in milliseconds of a clock that does not go back. Nothing here reads, writes, parses or waits.
//
//     state        what happened               then         the loop's next step
//     idle         part of a message came      head, body   wait
//     idle         nothing for too long        closed       close
//     head         the head is whole           body         wait, or send 100 Continue
//     head, body   a request is whole          answering    answer: hand it to the service
//     idle…body    the bytes are malformed     writing      refuse: encode the refusal
//     head, body   the deadline                writing      time out: encode a 408
//     idle…body    the peer ended its side     closed       close: nobody waits for an answer
//     answering    the answer is there         writing      write
//     answering    earlier answers are owed    answering    write them; this answer comes after
//     answering    a stream began              streaming    write
//     streaming    the stream is over          writing      write
//     writing      all is written              idle         next request: parse what is left over
//     writing      all is written, it closes   lingering    shut down writing, swallow input
//     writing      … and the peer ended        closed       close
//     answering,   no progress for too long    closed       abort: with a reset, for a polite
//     writing,     with what is owed                        close would wait for ever
//     streaming
//     lingering    end, enough bytes or time   closed       close
//     any          the peer is gone            closed       close
//
// One request of a connection is in work at a time. While it is, nothing more is read from that
// connection: what is already in its buffer waits there, the rest waits in the kernel, and so
// pipelining is bounded by the buffer. A peer that only ended its writing side still gets its
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

/// What the event loop has to do next.
package enum ConnectionAction: Equatable, Sendable {
    /// Nothing until something happens that `interest` or `deadline` name.
    case wait
    /// Write `100 Continue` before anything else.
    case sendContinue
    /// Encode a 408, report `wroteSome` or `wroteAll`.
    case timeOut
    /// Parse what is left in the buffer; if that is nothing, read.
    case nextRequest
    /// `shutdown(SHUT_WR)`, then read and throw away.
    case shutDownWriting
    /// Close in good order.
    case close
    /// Close with a reset, so that the kernel keeps nothing for a peer that takes nothing.
    case abort
}

/// The life of one connection; the table is above. A value of a few words.
package struct ConnectionState: Sendable {
    /// The phases of a connection, as in the table above.
    package enum Phase: UInt8, Sendable {
        case idle, head, body, answering, streaming, writing, lingering, closed
    }

    /// The current phase.
    package private(set) var phase = Phase.idle
    /// The peer has ended its writing side.
    package private(set) var isHalfClosed = false
    /// The connection ends behind the answer that is being made or written.
    package private(set) var closesAfterAnswer = false
    /// The service shuts down: no further request is begun.
    private var isDraining = false
    /// Whether there are bytes that the peer has not taken.
    private var hasOutput = false
    /// When the thing began that the deadline is about.
    package private(set) var since: Int64
    /// Bytes of the body, or swallowed while lingering.
    private var bytes = 0
    private let deadlines: Deadlines

    package init(_ deadlines: Deadlines, at now: Int64) {
        self.deadlines = deadlines
        since = now
    }

    /// Whether to read, as long as the peer has not ended its side.
    package var wantsInput: Bool {
        switch phase {
        case .idle, .head, .body, .lingering: !isHalfClosed
        case .answering, .streaming, .writing, .closed: false
        }
    }

    /// Whether to be woken when the socket takes bytes.
    package var wantsOutput: Bool {
        switch phase {
        case .answering, .writing, .streaming: hasOutput
        case .idle, .head, .body, .lingering, .closed: false
        }
    }

    /// When `expired` is to be called; nil while the service has the request and nothing is owed.
    package var deadline: Int64? {
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

    /// The time that the bytes of the body that came would have needed at the lowest rate.
    private var bodyCredit: Int64 {
        Int64(bytes) * 1_000 / max(1, deadlines.bodyBytesPerSecondMin)
    }
}

// MARK: - Input

extension ConnectionState {
    /// `count` bytes came. Report the parser's verdict on them next; while lingering there is none.
    package mutating func read(_ count: Int, at now: Int64) -> ConnectionAction {
        switch phase {
        case .idle, .head, .answering, .streaming, .writing, .closed: return .wait
        case .body:
            bytes += count
            return .wait
        case .lingering:
            bytes += count
            return bytes > deadlines.lingerBytesMax ? end() : .wait
        }
    }

    /// The parser wants more. The head's deadline runs from its first byte, the body's from the
    /// head's end, and no byte that comes later sets them back.
    package mutating func needs(_ need: ParseStatus, at now: Int64) -> ConnectionAction {
        switch need {
        case .message: break
        case .head: if phase == .idle { enter(.head, at: now) }
        case .body(let sendsContinue):
            if phase != .body { enter(.body, at: now) }
            if sendsContinue, !isHalfClosed { return .sendContinue }
        }
        return isHalfClosed ? end() : .wait
    }

    /// The parser has a request. Hand it to the service; report `answered` or `streamed`.
    package mutating func requested(keepsAlive: Bool) {
        phase = .answering
        closesAfterAnswer = !keepsAlive || isDraining
    }

    /// The parser refuses. Encode the refusal; report `wroteSome` or `wroteAll`.
    package mutating func refused(at now: Int64) { endWithAnswer(at: now) }

    /// A read gave 0: the peer writes no more, but may still read.
    package mutating func readEnd(at now: Int64) -> ConnectionAction {
        isHalfClosed = true
        switch phase {
        case .idle, .head, .body, .lingering: return end()
        case .answering, .streaming, .writing, .closed: return .wait
        }
    }

    /// The peer is gone in both directions: an error, or a hang-up.
    package mutating func peerGone() -> ConnectionAction { end() }
}

// MARK: - Output

extension ConnectionState {
    /// The answer is encoded and may be shown. Write it; report `wroteSome` or `wroteAll`.
    package mutating func answered(closes: Bool, at now: Int64) {
        closesAfterAnswer = closesAfterAnswer || closes
        hasOutput = true
        enter(.writing, at: now)
    }

    /// The head of a stream is encoded; parts follow, each with `streamed` again. Write it; report
    /// `wroteSome` or `wroteAll`.
    package mutating func streamed(at now: Int64) {
        // A peer that is behind does not get more time because more is waiting for it.
        if phase != .streaming || !hasOutput { enter(.streaming, at: now) }
        hasOutput = true
    }

    /// The socket took bytes, at least one, and not all. Not for the bytes of `100 Continue`, which
    /// end nothing and give the body no more time.
    package mutating func wroteSome(at now: Int64) {
        switch phase {
        case .answering, .writing, .streaming: since = now
        case .idle, .head, .body, .lingering, .closed: break
        }
    }

    /// The socket took all bytes that were left, except those of `100 Continue`.
    package mutating func wroteAll(at now: Int64) -> ConnectionAction {
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

    /// What counted as written was not taken by the socket after all. While a request is being
    /// answered that concerns the answers before it; the next request is not begun until all is
    /// written.
    package mutating func owes(at now: Int64) {
        switch phase {
        case .answering, .streaming: if !hasOutput { since = now }
        case .idle, .head, .body, .writing: enter(.writing, at: now)
        case .lingering, .closed: return
        }
        hasOutput = true
    }

    /// The deadline has passed. Time that is not yet there is not held against anybody.
    package mutating func expired(at now: Int64) -> ConnectionAction {
        guard let deadline, now >= deadline else { return .wait }
        switch phase {
        case .head, .body:
            endWithAnswer(at: now)
            return .timeOut
        case .answering, .writing, .streaming:
            phase = .closed
            return .abort
        case .idle, .lingering: return end()
        case .closed: return .wait
        }
    }

    /// The service shuts down: what is idle closes, what is in work is the last of its connection.
    package mutating func drain() -> ConnectionAction {
        isDraining = true
        closesAfterAnswer = true
        return phase == .idle ? end() : .wait
    }

    private mutating func finishAnswer(at now: Int64) -> ConnectionAction {
        guard closesAfterAnswer else {
            enter(.idle, at: now)
            return .nextRequest
        }
        guard !isHalfClosed else { return end() }
        enter(.lingering, at: now)
        return .shutDownWriting
    }

    private mutating func endWithAnswer(at now: Int64) {
        closesAfterAnswer = true
        hasOutput = true
        enter(.writing, at: now)
    }

    private mutating func enter(_ next: Phase, at now: Int64) {
        phase = next
        since = now
        bytes = 0
    }

    private mutating func end() -> ConnectionAction {
        phase = .closed
        return .close
    }
}
