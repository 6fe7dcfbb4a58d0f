@testable import Cluster
@testable import NATS
import Navigation
import Sessions
import Testing

/// The meaning of the leader's answer to a question for the last message that was read.
@Suite struct StreamLandmarkTests {
    private let id = SessionID(trusted: "kiosk-1")
    private let subject = Subject(trusted: "nav.000.s.kiosk-1")
    private let time = ServerTime(nanoseconds: 1_795_375_414_442_357_682)

    private var landmark: StreamLandmark {
        StreamLandmark(subject: subject, number: 10, time: time)
    }

    private func stored(
        _ number: Int, after previous: Int? = nil, at offset: Int = 0
    ) -> StoredMessage {
        let text = previous.map { previous in
            SharedTokens(
                id: id, born: 1, at: 0,
                link: SharedLink(previous: previous, writer: WriteID(node: 1, number: 1)),
                tokens: []
            ).text
        }
        return StoredMessage(
            subject: subject, sequence: number,
            time: ServerTime(nanoseconds: time.nanoseconds + offset), headers: nil,
            payload: (text ?? Array("hello".utf8))[...])
    }

    @Test func `the message itself shows that the stream is the same`() {
        #expect(landmark.judge(stored(10), at: nil) == .same)
        #expect(landmark.judge(stored(10, at: 1), at: nil) == .replaced)
    }

    @Test func `a later message shows it by what it follows`() {
        #expect(landmark.judge(stored(30, after: 10), at: nil) == .same)
        #expect(landmark.judge(stored(30, after: 29), at: nil) == .same)
        #expect(landmark.judge(stored(30, after: 9), at: nil) == .replaced)
        #expect(landmark.judge(stored(30, after: 0), at: nil) == .replaced)
        #expect(landmark.judge(stored(30), at: nil) == .same, "a message of others shows nothing")
    }

    @Test func `no message shows it unless the session may have ended a day ago`() {
        #expect(landmark.judge(nil, at: nil) == .gone)
        for (hours, finding) in [(11, StreamLandmark.Finding.gone), (13, .same)] {
            let now = ServerTime(nanoseconds: time.nanoseconds + hours * 3_600_000_000_000)
            #expect(landmark.judge(nil, at: now) == finding)
            let next = landmark.judge(stored(30, after: 0), at: now)
            #expect(next == (finding == .gone ? .replaced : .same))
        }
    }
}
