import FoundationEssentials
import HTTP
import Testing

/// The table of a connection's transitions.
@Suite struct ConnectionTransitionTests {
    private typealias Phase = ConnectionState.Phase

    @Test func `the table in the comment is the table in the code`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "Sources/HTTP/Connection/ConnectionTransitions.swift")
        let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("//     phase ") })
        let written = lines[(start + 1)...].prefix { $0.hasPrefix("//     ") }.map { line in
            line.dropFirst(2).split(separator: "  ").map {
                $0.drop { $0 == " " }.split(separator: ", ").joined(separator: ", ")
            }
        }
        let meant = ConnectionTransition.all.map { row in
            let phases =
                row.phases == Phase.allCases
                ? "any" : row.phases.map { "\($0)" }.joined(separator: ", ")
            let next = row.next.map { "\($0)" } ?? "-"
            return [phases, "\(row.event)", next, "\(row.action)"]
        }
        #expect(written == meant)
    }

    @Test func `an event has one row for a phase at most`() {
        var seen: Set<String> = []
        for row in ConnectionTransition.all {
            for phase in row.phases { #expect(seen.insert("\(phase) \(row.event)").inserted) }
        }
        #expect(
            Set(ConnectionTransition.all.map(\.event)).count
                == ConnectionTransition.Event.allCases.count)
    }

    /// Ways to bring a connection into a phase.
    private static func state(in phase: Phase, halfClosed: Bool) -> ConnectionState {
        var state = ConnectionState(Deadlines(), at: 0)
        switch phase {
        case .idle: break
        case .head: _ = state.needs(.head, at: 0)
        case .body: _ = state.needs(.body(sendsContinue: false), at: 0)
        case .answering: state.requested(keepsAlive: true)
        case .streaming:
            state.requested(keepsAlive: true)
            state.streamed(at: 0)
        case .writing:
            state.requested(keepsAlive: true)
            state.answered(closes: false, at: 0)
        case .lingering:
            state.refused(at: 0)
            _ = state.wroteAll(at: 0)
        case .closed: state.lost(at: 0)
        }
        if halfClosed, phase != .closed { _ = state.readEnd(at: 0) }
        return state
    }

    /// Everything that can be reported, with the events that it may be.
    private static let reports:
        [(
            name: String, events: [ConnectionTransition.Event],
            report: @Sendable (inout ConnectionState) -> String?
        )] = [
            ("read", [.lingerLimitExceeded], { "\($0.read(10_000_000, at: 1))" }),
            ("needs head", [.messageBegan, .inputEnded], { "\($0.needs(.head, at: 1))" }),
            (
                "needs body", [.contentExpected, .inputEnded],
                { "\($0.needs(.body(sendsContinue: false), at: 1))" }
            ),
            (
                "requested", [.requestComplete],
                {
                    $0.requested(keepsAlive: true); return nil
                }
            ),
            (
                "refused", [.malformed],
                {
                    $0.refused(at: 1); return nil
                }
            ),
            ("read end", [.inputEnded], { "\($0.readEnd(at: 1))" }),
            (
                "lost", [.connectionLost],
                {
                    $0.lost(at: 1); return nil
                }
            ),
            (
                "answered", [.answerReady],
                {
                    $0.answered(closes: false, at: 1); return nil
                }
            ),
            (
                "streamed", [.streamStarted],
                {
                    $0.streamed(at: 1); return nil
                }
            ),
            (
                "wrote some", [],
                {
                    $0.wroteSome(at: 1); return nil
                }
            ),
            (
                "wrote all", [.answerWritten, .lastAnswerWritten, .lastExchangeFinished],
                { "\($0.wroteAll(at: 1))" }
            ),
            (
                "blocked", [.outputBlocked],
                {
                    $0.blocked(at: 1); return nil
                }
            ),
            ("expired", [.deadlinePassed], { "\($0.expired(at: 1_000_000))" }),
            ("drain", [.shutdown], { "\($0.drain(at: 1))" }),
        ]

    @Test func `every change of phase and every action is a row of the table`() {
        for phase in Phase.allCases {
            for halfClosed in [false, true] {
                for (name, events, report) in Self.reports {
                    var state = Self.state(in: phase, halfClosed: halfClosed)
                    let before = state.phase
                    guard Self.isExpected(name, events, in: before) else { continue }
                    let action = report(&state) ?? "wait"
                    let label: Comment = "\(name) in \(before), half closed: \(halfClosed)"
                    // Two rows apply one after the other if a message begins that cannot end.
                    let reached = Self.reached(from: before, by: events)
                    if state.phase != before {
                        #expect(reached.contains { $0.next == state.phase }, label)
                    }
                    if action != "wait" {
                        #expect(
                            reached.contains {
                                $0.next == state.phase && "\($0.action)" == action
                            }, label)
                    }
                }
            }
        }
    }

    /// Whether the report may be made in the phase. Some reports are events only in some phases.
    private static func isExpected(
        _ name: String, _ events: [ConnectionTransition.Event], in phase: Phase
    ) -> Bool {
        ["read", "wrote some", "wrote all", "blocked", "expired"].contains(name)
            || ConnectionTransition.all.contains {
                $0.phases.contains(phase) && $0.event == events[0]
            }
    }

    private static func reached(
        from phase: Phase, by events: [ConnectionTransition.Event]
    ) -> [ConnectionTransition] {
        let first = ConnectionTransition.all.filter {
            $0.phases.contains(phase) && events.contains($0.event)
        }
        let second = ConnectionTransition.all.filter { row in
            events.contains(row.event)
                && first.contains { $0.next.map(row.phases.contains) ?? false }
        }
        return first + second
    }

    @Test func `every phase but the closed one can be left, and every phase is reached`() {
        let left = Set(
            ConnectionTransition.all.filter { $0.next != nil && $0.next != .closed }.flatMap(
                \.phases))
        #expect(left.isSuperset(of: Set(Phase.allCases).subtracting([.lingering, .closed])))
        #expect(Set(ConnectionTransition.all.compactMap(\.next)) == Set(Phase.allCases))
    }
}
