import POSIX
import Sessions

/// A client that follows the events of a session, or of all, at one node after another.
final class ClusterWatcher: NodeClient {
    /// The session's, or all if it is nil.
    private let id: String?
    private(set) var wakesAt: Int64 = 0
    private(set) var node: Int?
    private var socket: FileDescriptor?
    private var reader = ResponseReader()
    private var exchange = ClusterExchange(.read, "", [])
    private var status = 0
    private var text: [UInt8] = []
    /// The id of the last event that came, or nil before the first.
    private var last: String?
    /// The last record that was told of each session, as an index in the log.
    private var told: [String: Int] = [:]
    /// Sessions that are said to have ended, and of which nothing else was told.
    private var ended: Set<String> = []
    /// How many records each session had when the stream of all began.
    private var counts: [String: Int] = [:]
    private var isResumed = false
    private var hasEvents = false

    init(_ id: String?) { self.id = id }

    private var name: String { "stream of \(id ?? "all") at \(node ?? -1)" }

    func act(_ run: ClusterRun) {
        if socket == nil {
            open(run)
        } else if !run.oracle.hasSettled, run.world.oneIn(6) {
            lose(run)
        } else {
            rest(run)
        }
    }

    private func rest(_ run: ClusterRun) {
        wakesAt = run.now + 1 + Int64(run.world.below(400_000_000))
    }

    private func open(_ run: ClusterRun) {
        rest(run)
        let wanted = run.world.below(run.plan.nodes)
        guard let new = run.connect(self, to: wanted) else { return }
        (socket, node, reader) = (new, wanted, ResponseReader())
        (text, status, hasEvents) = ([], 0, false)
        isResumed = last != nil
        let path = id.map { "/v1/sessions/\($0)/events" } ?? "/v1/events"
        var lines = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n"
        if let last { lines += "Last-Event-ID: \(last)\r\n" }
        exchange = ClusterExchange(.read, id ?? "", Array((lines + "\r\n").utf8))
        run.oracle.begin(&exchange, at: run.life(of: wanted), now: run.now)
        run.tell("\(name) opens after \(last ?? "nothing")")
        var sent = 0
        while sent < exchange.request.count {
            guard let count = try? new.send(exchange.request, sent..<exchange.request.count) else {
                return lose(run)
            }
            sent += count
        }
    }

    func read(_ run: ClusterRun) {
        guard let socket else { return }
        guard let count = try? socket.receive(into: &run.buffer, 0..<run.buffer.count), count > 0
        else { return lose(run) }
        reader.append(run.buffer[..<count])
        run.look()
        while self.socket != nil, let part = reader.next() {
            switch part {
            case .head(let head): status = head.status
            case .data(let bytes):
                text += bytes
                if status == 200 { takeEvents(run) }
            case .end: ended(run)
            }
        }
        if let fault = reader.fault { run.oracle.complain("\(name): \(fault)") }
    }

    private func ended(_ run: ClusterRun) {
        switch status {
        case 200: break
        case 404:
            let id = id ?? ""
            run.oracle.miss(id, from: exchange.floorsOfAll[id], exchange, name)
        case 503 where !run.oracle.hasSettled: break
        default:
            run.oracle.complain("\(name) → \(status) \(String(decoding: text, as: UTF8.self))")
        }
        lose(run)
    }

    func lose(_ run: ClusterRun) {
        (socket, node) = (nil, nil)
        rest(run)
    }

    // MARK: - Events

    private func takeEvents(_ run: ClusterRun) {
        var start = 0
        while let end = text.place(of: "\n\n", from: start) {
            take(Array(text[start..<end + 1]), run)
            start = end + 2
        }
        text.removeSubrange(..<start)
    }

    private func take(_ event: [UInt8], _ run: ClusterRun) {
        guard let place = event.place(of: "id: ") else { return }
        let number = String(decoding: event[(place + 4)...].prefix { $0 != 0x0A }, as: UTF8.self)
        let what = "\(name), event \(number)"
        if event.place(of: "event: change") != nil {
            change(event, number, run, what)
        } else if event.place(of: "event: snapshot") != nil {
            snapshot(event, run, what)
        } else if event.place(of: "event: hello") != nil {
            hello(event, run, what)
        } else if event.place(of: "event: deleted") != nil {
            deleted(event, run, what)
        } else {
            run.oracle.complain("\(what): \(String(decoding: event, as: UTF8.self))")
        }
        (last, hasEvents) = (number, true)
    }

    /// A state in an event: its session, and its index in the log.
    private func state(
        in event: [UInt8], _ run: ClusterRun, _ what: String
    ) -> (id: String, index: Int)? {
        guard let place = event.place(of: #""session":{"#), let version = EntityVersion(in: event)
        else {
            run.oracle.complain("\(what): \(String(decoding: event, as: UTF8.self))")
            return nil
        }
        let gap = event.place(of: #","gap":true}"#, from: max(place, event.count - 16))
        // The event ends in the brace of its data and a newline.
        let text = event[(place + 10)..<(gap ?? event.count - 2)]
        let id = String(decoding: text.dropFirst(7).prefix { $0 != 0x22 }, as: UTF8.self)
        return run.oracle.see(version, text, of: id, at: exchange.life, what).map { (id, $0) }
    }

    private func change(
        _ event: [UInt8], _ number: String, _ run: ClusterRun, _ what: String
    ) {
        guard let (session, index) = state(in: event, run, what),
            let entries = run.oracle.log.sessions[session]
        else { return }
        run.tell("\(what): record \(index) of \(session)")
        if id != nil, number != "\(entries[index].sequence)" {
            run.oracle.complain("\(what): record \(index) has number \(entries[index].sequence)")
        }
        if let before = told[session] {
            if index != before + 1 {
                run.oracle.complain("\(what): record \(index) comes after \(before)")
            }
        } else if ended.remove(session) != nil {
            if index == 0 || entries[index - 1].version != nil {
                run.oracle.complain("\(what): record \(index) comes after an end")
            }
        } else if id != nil || index > counts[session] ?? 0 {
            run.oracle.complain("\(what): record \(index) is the first")
        }
        told[session] = index
    }

    private func snapshot(_ event: [UInt8], _ run: ClusterRun, _ what: String) {
        let hasGap = event.place(of: #","gap":true}"#) != nil
        if hasEvents || isResumed, !hasGap {
            run.oracle.complain("\(what): a snapshot without a word of a gap")
        }
        guard let (session, index) = state(in: event, run, what) else { return }
        run.tell("\(what): record \(index) of \(session), gap \(hasGap)")
        let floor = max(exchange.floor(of: session), told[session] ?? -1)
        if index < floor {
            run.oracle.complain("\(what): record \(index) is shown, \(floor) was shown before")
        }
        told[session] = index
    }

    private func hello(_ event: [UInt8], _ run: ClusterRun, _ what: String) {
        let hasGap = event.place(of: #""gap":true"#) != nil
        run.tell("\(what): hello, gap \(hasGap)")
        if hasEvents || isResumed, !hasGap {
            run.oracle.complain("\(what): a hello without a word of a gap")
        }
        (told, ended) = ([:], [])
        counts = run.oracle.log.sessions.mapValues(\.count)
    }

    private func deleted(_ event: [UInt8], _ run: ClusterRun, _ what: String) {
        guard let place = event.place(of: #""id":""#) else { return }
        let session = String(decoding: event[(place + 6)...].prefix { $0 != 0x22 }, as: UTF8.self)
        run.tell("\(what): the end of \(session)")
        guard let entries = run.oracle.log.sessions[session] else {
            return run.oracle.complain("\(what): nobody knows \(session)")
        }
        guard let before = told[session] else {
            if id != nil { run.oracle.complain("\(what): an end without a beginning") }
            ended.insert(session)
            return
        }
        if before + 1 >= entries.count || entries[before + 1].version != nil {
            run.oracle.complain("\(what): the end of \(session) comes after record \(before)")
        }
        told[session] = before + 1
    }

    // MARK: - The end

    /// When all has settled, the stream has told everything.
    func check(_ run: ClusterRun) {
        for (session, entries) in run.oracle.log.sessions where id ?? session == session {
            let hasEnded = entries.last?.version == nil
            if id != nil, hasEnded { continue }
            // Of what it began with, it has told nothing.
            let hasNothing = id == nil && told[session] == nil && entries.count == counts[session]
            let hasAll = hasNothing || told[session] == entries.count - 1
            if hasAll || (hasEnded && ended.contains(session)), socket != nil, status == 200 {
                continue
            }
            run.oracle.complain(
                "\(name), after \(last ?? "nothing"): it has told \(told[session] ?? -1) of "
                    + "\(session), which has \(entries.count) records")
        }
    }
}
