import POSIX

/// A client that follows the events of a session, or of all, and comes back when the stream breaks
/// off.
final class Watcher: Client {
    /// The session's, or all if it is nil.
    private let id: String?
    private(set) var wakesAt: Int64 = 0
    private(set) var socket: FileDescriptor?
    private var reader = ResponseReader()
    private var exchange = Exchange(.stream, "", [])
    private var status = 0
    private var text: [UInt8] = []
    private var isStalled = false
    /// The last event that came, or nil before the first.
    private var last: Int?
    /// The state after it, by session.
    private var states: [String: SeenState] = [:]
    /// Where the stream of all began without a gap, and what it told since.
    private var origin = 0
    private var told: Set<Int> = []
    private var isResumed = false
    private var hasEvents = false

    init(_ id: String?) { self.id = id }

    private var name: String { "stream of \(id ?? "all")" }

    func act(_ run: Run) {
        if socket == nil {
            open(run)
        } else if run.plan.vanishes, run.world.oneIn(6) {
            lose(run)
            rest(run)
        } else {
            if run.plan.vanishes { stall(run) }
            rest(run)
        }
    }

    /// Reads nothing for a while, or again.
    private func stall(_ run: Run) {
        guard let socket else { return }
        isStalled.toggle()
        run.listen(to: socket, isStalled ? .nothing : .readable, self)
    }

    private func rest(_ run: Run) { wakesAt = run.now + 1 + Int64(run.world.below(200_000_000)) }

    private func open(_ run: Run) {
        rest(run)
        guard run.isBusy, let new = run.connect(self) else { return }
        socket = new
        reader = ResponseReader()
        (text, status, isStalled, hasEvents) = ([], 0, false, false)
        isResumed = last != nil
        let path = id.map { "/v1/sessions/\($0)/events" } ?? "/v1/events"
        var lines = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n"
        if let last { lines += "Last-Event-ID: \(last)\r\n" }
        exchange = Exchange(.stream, id ?? "", Array((lines + "\r\n").utf8))
        run.oracle.begin(&exchange, now: run.now)
        var sent = 0
        while sent < exchange.request.count {
            guard let count = try? new.send(exchange.request, sent..<exchange.request.count) else {
                return lose(run)
            }
            sent += count
        }
    }

    func read(_ run: Run) {
        guard let socket, !isStalled else { return }
        guard let count = try? socket.receive(into: &run.buffer, 0..<run.buffer.count), count > 0
        else { return lose(run) }
        reader.append(run.buffer[..<count])
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

    private func ended(_ run: Run) {
        switch status {
        case 200: break
        case 404:
            run.oracle.miss(id ?? "", floor: exchange.floor, name)
            last = nil
            states = [:]
        case 503 where run.circumstances.mayRefuse: break
        case 507: break
        default:
            run.oracle.complain("\(name) → \(status) \(String(decoding: text, as: UTF8.self))")
        }
        lose(run)
    }

    func lose(_ run: Run) {
        socket = nil
        rest(run)
    }

    // MARK: - Events

    private func takeEvents(_ run: Run) {
        var start = 0
        while let end = text.place(of: "\n\n", from: start) {
            take(Array(text[start..<end + 1]), run)
            start = end + 2
        }
        text.removeSubrange(..<start)
    }

    private func take(_ event: [UInt8], _ run: Run) {
        guard let number = event.number(after: "id: ") else { return }
        let what = "\(name), event \(number)"
        if let last, hasEvents || isResumed, number <= last, event.place(of: "event: hello") == nil,
            event.place(of: "event: snapshot") == nil
        {
            run.oracle.complain("\(what): it comes after \(last)")
        }
        if event.place(of: "event: change") != nil {
            change(event, number, run, what)
        } else if event.place(of: "event: snapshot") != nil {
            snapshot(event, number, run, what)
        } else if event.place(of: "event: hello") != nil {
            hello(event, number, run, what)
        } else if let place = event.place(of: #""id":""#) {
            let name = String(decoding: event[(place + 6)...].prefix { $0 != 0x22 }, as: UTF8.self)
            run.oracle.deleted(name, at: number)
            states[name] = nil
        }
        told.insert(number)
        last = number
        hasEvents = true
    }

    private func state(in event: [UInt8], _ number: Int) -> SeenState? {
        guard let place = event.place(of: #""session":{"#) else { return nil }
        let gap = event.place(of: #","gap":true}"#, from: max(place, event.count - 16))
        // The event ends in the brace of its data and a newline.
        return SeenState(Array(event[(place + 10)..<(gap ?? event.count - 2)]), sequence: number)
    }

    private func sessionName(_ state: SeenState) -> String {
        String(state.text.dropFirst(7).prefix { $0 != "\"" })
    }

    private func change(_ event: [UInt8], _ number: Int, _ run: Run, _ what: String) {
        guard let state = state(in: event, number) else {
            return run.oracle.complain("\(what): \(String(decoding: event, as: UTF8.self))")
        }
        let session = sessionName(state)
        if let marker = event.number(after: #""m":"#),
            let place = event.place(of: #""m":"#), let end = event.place(of: #""session":{"#),
            place < end
        {
            run.oracle.executed(marker, sequence: number, what)
        }
        let before = states[session]
        if let before, before.birth == state.birth, before.revision + 1 != state.revision {
            run.oracle.complain(
                "\(what): \(session) goes from revision \(before.revision) to \(state.revision)")
        }
        if before?.birth != state.birth, state.revision > 1 {
            let previous = run.oracle.sequence(birth: state.birth, revision: state.revision - 1)
            if id != nil || previous ?? 0 > origin {
                run.oracle.complain(
                    "\(what): \(session) begins with revision \(state.revision), the one before "
                        + "has number \(previous ?? 0)")
            }
        }
        run.oracle.see(state, of: session, asked: exchange.stamp, floor: nil, what)
        states[session] = state
    }

    private func snapshot(_ event: [UInt8], _ number: Int, _ run: Run, _ what: String) {
        guard let state = state(in: event, number) else {
            return run.oracle.complain("\(what): \(String(decoding: event, as: UTF8.self))")
        }
        let hasGap = event.place(of: #","gap":true}"#) != nil
        if hasEvents || (isResumed && !hasGap) {
            run.oracle.complain("\(what): a snapshot without a word of a gap")
        }
        let session = sessionName(state)
        run.oracle.see(state, of: session, asked: exchange.stamp, floor: exchange.floor, what)
        states[session] = state
    }

    private func hello(_ event: [UInt8], _ number: Int, _ run: Run, _ what: String) {
        let hasGap = event.place(of: #""gap":true"#) != nil
        if hasEvents || (isResumed && !hasGap) {
            run.oracle.complain("\(what): a hello without a word of a gap")
        }
        check(run)
        (states, told, origin) = ([:], [], number)
    }

    /// The stream of all has left out nothing between its beginning and its last event.
    func check(_ run: Run) {
        guard id == nil, let last, origin > 0 else { return }
        for (number, session) in run.oracle.changes where number > origin && number < last {
            guard !told.contains(number) else { continue }
            run.oracle.complain(
                "\(name): it began with \(origin), is at \(last), and left out \(number) of "
                    + session)
        }
    }
}
