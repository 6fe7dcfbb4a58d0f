// The transitions of a connection. Every change of `ConnectionState.phase` is a row of this table,
// and a test compares the table in this comment with the one in the code.
//
//     phase                          event                 next       action
//     idle                           messageBegan          head       none
//     idle, head                     contentExpected       body       none
//     idle, head, body               requestComplete       answering  none
//     idle, head, body               malformed             writing    none
//     idle, head, body, lingering    inputEnded            closed     close
//     lingering                      lingerLimitExceeded   closed     close
//     answering, streaming           answerReady           writing    none
//     answering                      streamStarted         streaming  none
//     idle, head, body, writing      outputBlocked         writing    none
//     writing                        answerWritten         idle       nextRequest
//     writing                        lastAnswerWritten     lingering  shutDownWriting
//     writing                        lastExchangeFinished  closed     close
//     head, body                     deadlinePassed        writing    timeOut
//     answering, streaming, writing  deadlinePassed        closed     abort
//     idle, lingering                deadlinePassed        closed     close
//     idle                           shutdown              closed     close
//     any                            connectionLost        closed     close
//     head                           messageBegan          -          none
//     body                           contentExpected       -          none
//     answering, streaming, writing  inputEnded            -          none
//     streaming                      streamStarted         -          none
//     head, body, answering, streaming, writing, lingering, closed  shutdown  -  none
//
// A row without a next phase changes nothing. A row whose next phase is the current one starts the
// phase's deadline again. An event without a row for the current phase is a mistake of the caller:
// it fails in debug builds, and changes nothing in others.

/// One row of the table: what happens in which phases, and what follows.
public struct ConnectionTransition: Sendable {
    /// The events of a connection.
    public enum Event: UInt8, CaseIterable, Sendable {
        /// The first bytes of a request have arrived.
        case messageBegan
        /// The head is complete and the content is not.
        case contentExpected
        /// The request is complete.
        case requestComplete
        /// The bytes are not a valid request.
        case malformed
        /// The peer has ended its side, so that no complete request can follow.
        case inputEnded
        /// The peer has sent more after the last answer than is worth reading.
        case lingerLimitExceeded
        /// The answer, or the end of a stream, is encoded.
        case answerReady
        /// The head of a stream is encoded.
        case streamStarted
        /// The socket did not take all that was encoded.
        case outputBlocked
        /// All is written, and the connection may be used again.
        case answerWritten
        /// All is written, and the connection closes. The peer may still be sending.
        case lastAnswerWritten
        /// All is written, the connection closes, and the peer has ended its side.
        case lastExchangeFinished
        /// The phase's deadline has passed.
        case deadlinePassed
        /// The server shuts down.
        case shutdown
        /// The peer has gone, or the server has closed the connection.
        case connectionLost
    }

    /// The actions of the event loop after a transition.
    public enum Action: UInt8, Sendable {
        case none, timeOut, nextRequest, shutDownWriting, close, abort
    }

    /// The phases that the row applies to.
    public let phases: [ConnectionState.Phase]
    /// The event.
    public let event: Event
    /// The phase that follows. Nil if nothing changes.
    public let next: ConnectionState.Phase?
    /// The action.
    public let action: Action

    private init(
        _ phases: [ConnectionState.Phase], on event: Event, to next: ConnectionState.Phase?,
        _ action: Action = .none
    ) {
        self.phases = phases
        self.event = event
        self.next = next
        self.action = action
    }

    /// The table.
    public static let all: [ConnectionTransition] = [
        ConnectionTransition([.idle], on: .messageBegan, to: .head),
        ConnectionTransition([.idle, .head], on: .contentExpected, to: .body),
        ConnectionTransition([.idle, .head, .body], on: .requestComplete, to: .answering),
        ConnectionTransition([.idle, .head, .body], on: .malformed, to: .writing),
        ConnectionTransition(
            [.idle, .head, .body, .lingering], on: .inputEnded, to: .closed, .close),
        ConnectionTransition([.lingering], on: .lingerLimitExceeded, to: .closed, .close),
        ConnectionTransition([.answering, .streaming], on: .answerReady, to: .writing),
        ConnectionTransition([.answering], on: .streamStarted, to: .streaming),
        ConnectionTransition([.idle, .head, .body, .writing], on: .outputBlocked, to: .writing),
        ConnectionTransition([.writing], on: .answerWritten, to: .idle, .nextRequest),
        ConnectionTransition([.writing], on: .lastAnswerWritten, to: .lingering, .shutDownWriting),
        ConnectionTransition([.writing], on: .lastExchangeFinished, to: .closed, .close),
        ConnectionTransition([.head, .body], on: .deadlinePassed, to: .writing, .timeOut),
        ConnectionTransition(
            [.answering, .streaming, .writing], on: .deadlinePassed, to: .closed, .abort),
        ConnectionTransition([.idle, .lingering], on: .deadlinePassed, to: .closed, .close),
        ConnectionTransition([.idle], on: .shutdown, to: .closed, .close),
        ConnectionTransition(
            ConnectionState.Phase.allCases, on: .connectionLost, to: .closed, .close),
        ConnectionTransition([.head], on: .messageBegan, to: nil),
        ConnectionTransition([.body], on: .contentExpected, to: nil),
        ConnectionTransition([.answering, .streaming, .writing], on: .inputEnded, to: nil),
        ConnectionTransition([.streaming], on: .streamStarted, to: nil),
        ConnectionTransition(
            [.head, .body, .answering, .streaming, .writing, .lingering, .closed], on: .shutdown,
            to: nil),
    ]

    /// The row for an event in a phase, if there is one.
    static func find(
        _ phase: ConnectionState.Phase, _ event: Event
    ) -> (next: ConnectionState.Phase?, action: Action)? {
        lookup[Int(phase.rawValue) * Event.allCases.count + Int(event.rawValue)]
    }

    /// The rows by phase and event.
    private static let lookup = {
        let eventCount = Event.allCases.count
        var lookup = [(next: ConnectionState.Phase?, action: Action)?](
            repeating: nil, count: ConnectionState.Phase.allCases.count * eventCount)
        for row in all {
            for phase in row.phases {
                lookup[Int(phase.rawValue) * eventCount + Int(row.event.rawValue)] =
                    (row.next, row.action)
            }
        }
        return lookup
    }()
}
