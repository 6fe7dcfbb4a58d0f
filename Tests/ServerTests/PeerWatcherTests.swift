import Navigation
@testable import Server
import Sessions
import Testing

/// Watchers at other servers that share the store.
@Suite struct PeerWatcherTests {
    private let id = SessionID(trusted: "a")
    private let other = SessionID(trusted: "b")
    private let wall = Watcher(name: WatcherName(trusted: "wall"), since: 5, shown: 1)

    // MARK: When the others are asked

    @Test func `nobody is asked without a client that wants to know, or without other servers`() {
        var polling = PeerPolling(hasPeers: true)
        #expect(polling.time(whileWanted: false) == nil)
        #expect(polling.next(of: [SessionID](), at: 0) == [])
        var alone = PeerPolling()
        alone.hasNew = true
        #expect(alone.time(whileWanted: true) == nil)
        #expect(alone.next(of: [id], at: 0) == [])
    }

    @Test func `the others are asked four times a second, and at once about a new session`() {
        var polling = PeerPolling(hasPeers: true)
        #expect(polling.next(of: [id], at: 1_000) == [id])
        polling.hasNew = true
        #expect(polling.next(of: [id, other], at: 1_010) == [], "an answer is awaited")
        polling.answered()
        #expect(polling.time(whileWanted: true) == 0)
        #expect(polling.next(of: [id, other], at: 1_020) == [id, other])
        polling.answered()
        #expect(polling.time(whileWanted: true) == 1_270)
        #expect(polling.next(of: [id], at: 1_269) == [])
        #expect(polling.next(of: [id], at: 1_270) == [id])
    }

    @Test func `many sessions are asked about in parts`() {
        let ids = (0..<2_500).map { SessionID(trusted: "s\($0)") }
        var polling = PeerPolling(hasPeers: true)
        var asked: [SessionID] = []
        for count in [1_000, 1_000, 500] {
            let part = polling.next(of: ids, at: 0)
            #expect(part.count == count)
            asked += part
            polling.answered()
        }
        #expect(asked == ids)
        #expect(polling.next(of: ids, at: 0) == [])
    }

    // MARK: What clients are told

    @Test func `streams are told nothing before the others have answered`() {
        var news = WatcherNews()
        #expect(news.takeQuestion(hasPeers: true, at: 0) == [])
        news.streamsChanged(of: id, listens: true, by: 1, at: 0)
        #expect(news.nextTime == 0)
        #expect(news.takeQuestion(hasPeers: true, at: 0) == [id])
        #expect(news.nextToTell(at: 0) == id)
        #expect(news.others(of: id) == nil)
        news.take([(id, [wall])], at: 10)
        #expect(news.nextToTell(at: 10) == id)
        #expect(news.others(of: id) == [wall])
        news.told(id, rows: 1, at: 10)
        // The same again is no news.
        #expect(news.takeQuestion(hasPeers: true, at: 250) == [id])
        news.take([(id, [wall])], at: 260)
        #expect(news.nextToTell(at: 1_000) == nil)
        #expect(news.takeQuestion(hasPeers: true, at: 1_000) == [id])
        news.take([(id, [])], at: 1_000)
        #expect(news.nextToTell(at: 1_000) == id)
        #expect(news.others(of: id) == [])
    }

    @Test func `a read waits until the others have answered`() {
        var news = WatcherNews()
        _ = news.takeQuestion(hasPeers: true, at: 0)
        news.wait(7, for: id, toShow: 3)
        news.listChanged(of: id, at: 0)
        #expect(news.nextToCheck() == id)
        #expect(news.others(of: id) == nil, "so it is not answered")
        #expect(news.takeQuestion(hasPeers: true, at: 0) == [id])
        news.take([(id, [wall])], at: 5)
        #expect(news.nextToCheck() == id)
        #expect(news.others(of: id) == [wall])
        // An answer about a session that nobody wants to know any more.
        news.endWait(7)
        _ = news.takeQuestion(hasPeers: true, at: 500)
        news.take([(id, [])], at: 500)
        #expect(news.nextToCheck() == nil && news.nextTime == nil)
    }

    @Test func `when the last of the others has gone, its watchers have too`() {
        var news = WatcherNews()
        news.streamsChanged(of: id, listens: true, by: 1, at: 0)
        _ = news.nextToTell(at: 0)
        #expect(news.others(of: id) == [], "this server is alone")
        #expect(news.takeQuestion(hasPeers: true, at: 0) == [id])
        news.take([(id, [wall])], at: 0)
        #expect(news.nextToTell(at: 0) == id && news.others(of: id) == [wall])
        #expect(news.takeQuestion(hasPeers: false, at: 1_000) == [])
        #expect(news.nextToTell(at: 1_000) == id && news.others(of: id) == [])
        #expect(news.nextTime == nil)
    }
}
