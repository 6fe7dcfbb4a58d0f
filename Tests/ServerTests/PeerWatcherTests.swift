import Navigation
@testable import Server
import Sessions
import Testing

/// Watchers at other servers that share the store.
@Suite struct PeerWatcherTests {
    private let id = SessionID(trusted: "a")
    private let other = SessionID(trusted: "b")
    private let wall = Watcher(name: WatcherName(trusted: "wall"), since: 5, shown: 1)
    private let roof = Watcher(name: WatcherName(trusted: "roof"), since: 3)

    /// The answers of servers about the session.
    private func round(_ lists: [UInt64: [Watcher]]) -> PeerRound {
        PeerRound(
            .watchers([id]),
            lists.mapValues { list in
                var answer = PeerAnswer()
                answer.watchers = [list]
                return answer
            })
    }

    // MARK: When the others are asked

    @Test func `nobody is asked without a client that wants to know`() {
        var polling = PeerPolling()
        #expect(polling.time(whileWanted: false) == nil)
        #expect(polling.next(of: [SessionID](), at: 0) == [])
    }

    @Test func `the others are asked four times a second, and at once about a new session`() {
        var polling = PeerPolling()
        #expect(polling.next(of: [id], at: 1_000) == [id])
        polling.add(other)
        #expect(polling.next(of: [id, other], at: 1_010) == [], "an answer is awaited")
        polling.answered()
        #expect(polling.time(whileWanted: true) == 0)
        #expect(polling.next(of: [id, other], at: 1_020) == [other])
        polling.answered()
        #expect(polling.time(whileWanted: true) == 1_250)
        #expect(polling.next(of: [id, other], at: 1_249) == [])
        #expect(polling.next(of: [id, other], at: 1_250) == [id, other])
    }

    @Test func `many sessions are asked about in parts`() {
        let ids = (0..<600).map { SessionID(trusted: "s\($0)") }
        var polling = PeerPolling()
        var asked: [SessionID] = []
        for count in [250, 250, 100] {
            let part = polling.next(of: ids, at: 0)
            #expect(part.count == count)
            asked += part
            polling.answered()
        }
        #expect(asked == ids)
        #expect(polling.next(of: ids, at: 0) == [])
    }

    // MARK: What clients are told

    @Test func `streams are told nothing before all others have answered`() {
        var news = WatcherChanges()
        #expect(news.takeQuestion(to: [1, 2], at: 0) == [])
        news.streamsChanged(of: id, listens: true, by: 1, at: 0)
        #expect(news.nextTime == 0)
        #expect(news.takeQuestion(to: [1, 2], at: 0) == [id])
        #expect(news.nextToSend(at: 0) == id && news.others(of: id) == nil)
        news.take(round([1: [wall]]), at: 10)
        #expect(news.nextToSend(at: 10) == id && news.others(of: id) == nil)
        #expect(news.takeQuestion(to: [1, 2], at: 250) == [id])
        news.take(round([1: [wall], 2: [roof]]), at: 260)
        #expect(news.nextToSend(at: 260) == id && news.others(of: id) == [roof, wall])
        news.sent(id, rows: 2, at: 260)
        // The same again is no news.
        #expect(news.takeQuestion(to: [1, 2], at: 500) == [id])
        news.take(round([1: [wall], 2: [roof]]), at: 510)
        #expect(news.nextToSend(at: 1_000) == nil)
    }

    @Test func `a server that does not answer keeps its watchers until it is gone`() {
        var news = WatcherChanges()
        _ = news.takeQuestion(to: [1, 2], at: 0)
        news.streamsChanged(of: id, listens: true, by: 1, at: 0)
        news.take(round([1: [wall], 2: [roof]]), at: 0)
        #expect(news.nextToSend(at: 0) == id)
        news.take(round([2: []]), at: 1_000)
        #expect(news.nextToSend(at: 1_000) == id && news.others(of: id) == [wall])
        news.take(round([:]), at: 2_000)
        #expect(news.nextToSend(at: 2_000) == nil && news.others(of: id) == [wall])
        _ = news.takeQuestion(to: [2], at: 3_000)
        #expect(news.nextToSend(at: 3_000) == id && news.others(of: id) == [])
        // A later message is not of a server that is there.
        news.take(round([1: [wall]]), at: 3_010)
        #expect(news.others(of: id) == [])
    }

    @Test func `a read waits until all others have answered`() {
        var news = WatcherChanges()
        _ = news.takeQuestion(to: [1], at: 0)
        news.wait(7, for: id, toShow: 3)
        #expect(news.nextToCheck() == id, "more may be known than when it was processed")
        #expect(news.others(of: id) == nil, "so it is not answered")
        #expect(news.takeQuestion(to: [1], at: 0) == [id])
        news.take(round([1: [wall]]), at: 5)
        #expect(news.nextToCheck() == id && news.others(of: id) == [wall])
        // An answer about a session that nobody wants to know any more.
        news.endWait(7)
        _ = news.takeQuestion(to: [1], at: 500)
        news.take(round([1: []]), at: 500)
        #expect(news.nextToCheck() == nil && news.nextTime == nil)
    }

    @Test func `when the last of the others has gone, its watchers have too`() {
        var news = WatcherChanges()
        news.streamsChanged(of: id, listens: true, by: 1, at: 0)
        _ = news.nextToSend(at: 0)
        #expect(news.others(of: id) == [], "this server is alone")
        #expect(news.takeQuestion(to: [1], at: 0) == [id])
        news.take(round([1: [wall]]), at: 0)
        #expect(news.nextToSend(at: 0) == id && news.others(of: id) == [wall])
        #expect(news.takeQuestion(to: [], at: 1_000) == [])
        #expect(news.nextToSend(at: 1_000) == id && news.others(of: id) == [])
        #expect(news.nextTime == nil)
    }
}
