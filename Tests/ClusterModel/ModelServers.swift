import JSON
import POSIX
import TestSupport
import Testing

// NATS servers with JetStream as one value of the test: what they keep, who is connected, and what
// is on its way. They do nothing by themselves. The test sets the clock and gives them a turn.

/// The servers of a store. They speak the client protocol over sockets.
final class ModelServers {
    /// Something that happens later.
    private struct Event {
        enum Kind {
            case send([UInt8], to: Int)
            case perform(ModelPublication, from: Int)
        }

        let at: Int64
        let order: Int
        let kind: Kind
    }

    /// The clock of the servers and of all nodes, in milliseconds.
    var now: Int64 = 1_000
    var faults = ModelFaults.none
    /// Faults of the next requests whose subjects contain a text. Each is used once.
    var plan: [(text: String, fault: ModelFault)] = []
    /// Whether consumers deliver nothing but heartbeats, as on a server that is behind.
    var holdsFeeds = false
    private var releasesAt: Int64?
    /// How long a consumer waits after each message, in milliseconds, as over a slow link.
    var deliveryPause: Int64 = 0
    /// The only stream whose consumers wait. Nil if all do.
    var slowStream: String?
    /// The moment that the times of messages are relative to, in nanoseconds since 1970.
    var messageEpoch = ModelAnswers.nanoseconds
    /// The time in the answer of a server that is asked about a stream; nil if it says nothing.
    var timeText: (_ stream: String, _ now: Int64) -> String? = { _, _ in nil }
    /// How many bytes one batch has at most, whatever is asked for. The last message may exceed it.
    var batchBytesMax = 64 << 20
    /// Until when a stream has no leader.
    var leaderlessUntil: [String: Int64] = [:]
    var streams: [String: ModelStream] = [:]
    /// The servers' greeting of a new client.
    var info = ModelAnswers.info
    /// An error that the servers send in place of any answer.
    var objection: String?
    /// An error that the servers send in place of a consumer.
    var feedObjection: String?
    /// The beginnings of subjects that nobody may publish to.
    var forbidden: [String] = []
    /// The number of streams that were created.
    var streamCount = 0
    var consumers: [ModelConsumer] = []
    var dice: SplitMix64
    /// The number of requests that have arrived.
    private(set) var requestCount = 0
    /// The same without questions about streams, which nodes ask all the time.
    private(set) var questionCount = 0
    private(set) var connections: [Int: ModelConnection] = [:]
    private let listener: FileDescriptor
    private let epoll: Epoll
    let port: UInt16
    private var lastConnection = 0
    private var events: [Event] = []
    private var lastOrder = 0

    /// - Parameter path: where to make a Unix socket to listen on, or nil to listen on a port.
    init(dice: SplitMix64, path: String? = nil) throws {
        self.dice = dice
        if let path {
            (listener, port) = (try Socket.listen(path: path), 4222)
        } else {
            listener = try Socket.listen(address: "127.0.0.1", port: 0)
            port = try Socket.port(of: listener)
        }
        epoll = try Epoll()
        try epoll.add(listener, .readable, token: 0)
    }

    // MARK: Turns

    /// Readable when a client has said something.
    var descriptor: FileDescriptor { epoll.descriptor }

    /// When something is due.
    var nextEvent: Int64 {
        let next = events.reduce(Int64.max) { min($0, $1.at) }
        return consumers.reduce(next) { min($0, $1.heartbeatAt) }
    }

    /// Lets consumers deliver again after a number of milliseconds.
    func release(after milliseconds: Int64) { releasesAt = now + milliseconds }

    /// Sends what is due.
    func deliver() {
        if let time = releasesAt, time <= now { (holdsFeeds, releasesAt) = (false, nil) }
        if faults.linksIn > 0, dice.oneIn(faults.linksIn) { breakLink() }
        feedConsumers()
        let due = events.filter { $0.at <= now }.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
        events.removeAll { $0.at <= now }
        for event in due {
            switch event.kind {
            case .send(let bytes, let number): connections[number]?.say(bytes)
            case .perform(let publication, let number): perform(publication, from: number)
            }
        }
        feedConsumers()
        for connection in connections.values where !connection.flush() { end(connection) }
    }

    /// Asks the clients of all connections to say that they have read everything.
    func ping() {
        for connection in connections.values where connection.isReady {
            connection.say("PING\r\n")
            connection.pongsOwed += 1
            if !connection.flush() { end(connection) }
        }
    }

    /// Whether a client has not answered yet.
    var awaitsPongs: Bool { connections.values.contains { $0.pongsOwed > 0 } }

    /// The number of clients that can be used.
    var readyCount: Int { connections.values.count { $0.isReady } }

    /// Reads what the clients have said.
    ///
    /// - Parameter milliseconds: how long to wait for it in real time.
    func receive(waiting milliseconds: Int = 0) throws {
        var ready: [Epoll.Event] = []
        try epoll.wait(into: &ready, timeoutMilliseconds: milliseconds)
        for event in ready.sorted(by: { $0.token < $1.token }) {
            guard event.token > 0 else {
                try accept()
                continue
            }
            guard let connection = connections[Int(event.token)] else { continue }
            guard let operations = try connection.receive() else {
                end(connection)
                continue
            }
            for operation in operations { obey(operation, connection) }
        }
        for connection in connections.values where !connection.flush() { end(connection) }
    }

    private func accept() throws {
        while let accepted = try Socket.accept(listener) {
            lastConnection += 1
            let connection = ModelConnection(lastConnection, accepted.descriptor)
            connections[lastConnection] = connection
            try epoll.add(connection.socket, .input, token: UInt64(lastConnection))
            connection.say(info)
            if !connection.flush() { end(connection) }
        }
    }

    private func end(_ connection: ModelConnection) {
        try? epoll.remove(connection.socket)
        connections[connection.number] = nil
    }

    /// Ends a connection, and loses what is on its way to the client.
    func breakLink() {
        let numbers = connections.keys.sorted()
        guard !numbers.isEmpty, let connection = connections[dice.one(of: numbers)] else { return }
        end(connection)
    }

    /// Ends all connections.
    func breakLinks() { for connection in connections.values { end(connection) } }

    private func obey(_ operation: ModelOperation, _ connection: ModelConnection) {
        if case .connect = operation {
        } else if !connection.hasBegun {
            // As a server does that asks for credentials.
            connection.say("-ERR 'Authorization Violation'\r\n")
            _ = connection.flush()
            return end(connection)
        }
        switch operation {
        case .connect: connection.hasBegun = true
        case .ping:
            connection.say("PONG\r\n")
            connection.isReady = true
        case .pong: connection.pongsOwed = max(0, connection.pongsOwed - 1)
        case .subscribe(let filter, let sid): connection.subscriptions[sid] = filter
        case .unsubscribe(let sid): connection.subscriptions[sid] = nil
        case .publish(let publication):
            let isConsumer = publication.isAbout("CONSUMER.CREATE")
            if let text = objection ?? (isConsumer ? feedObjection : nil) {
                return connection.say("\(text)\r\n")
            }
            if forbidden.contains(where: { publication.subject.hasPrefix($0) }) {
                return connection.say(
                    "-ERR 'Permissions Violation for Publish to \"\(publication.subject)\"'\r\n")
            }
            take(publication, from: connection.number)
        }
    }

    // MARK: Sending

    /// A time at which an answer without a fault arrives.
    func arrival() -> Int64 {
        faults.latency > 0 ? now + Int64(dice.below(faults.latency + 1)) : now
    }

    private func schedule(_ kind: Event.Kind, at time: Int64) {
        lastOrder += 1
        events.append(Event(at: time, order: lastOrder, kind: kind))
    }

    /// Sends a message to whoever has subscribed to the subject.
    ///
    /// - Parameter deliverSubject: the subject by which the subscription is found.
    func send(_ message: (Int) -> [UInt8], to deliverSubject: String, at time: Int64) {
        for number in connections.keys.sorted() {
            guard let sid = connections[number]?.subscription(to: deliverSubject) else { continue }
            schedule(.send(message(sid), to: number), at: time)
        }
    }

    func answer(_ publication: ModelPublication, headers: [UInt8] = [], _ text: String) {
        guard let reply = publication.reply else { return }
        answer(reply, headers: headers, Array(text.utf8), at: answersAt)
    }

    private func answer(
        _ reply: String, headers: [UInt8], _ payload: [UInt8], at time: Int64?
    ) {
        guard let time else { return }
        send(
            { ModelAnswers.message(reply, $0, headers: headers, payload) }, to: reply, at: time)
    }

    /// Sends a batch in its order.
    func answer(_ publication: ModelPublication, parts: [(headers: [UInt8], payload: [UInt8])]) {
        guard let reply = publication.reply else { return }
        for part in parts { answer(reply, headers: part.headers, part.payload, at: answersAt) }
    }

    // MARK: Requests

    /// When the answer to the request that is being performed arrives. Nil if it is lost.
    private var answersAt: Int64?
    /// How many of the last messages are not known to the server that answers.
    private(set) var isBehindBy = 0
    /// How many operations a copy of the stream lacks, if that is to be told.
    private(set) var copyLag: Int?

    /// Sends on what nodes say to each other. It may be lost, and nobody is told.
    private func relay(_ publication: ModelPublication) {
        guard faults.requestsIn == 0 || !dice.oneIn(faults.requestsIn) else { return }
        let subject = publication.subject
        send(
            { ModelAnswers.message(subject, $0, publication.payload) }, to: subject,
            at: arrival())
    }

    private func take(_ publication: ModelPublication, from number: Int) {
        if publication.subject.hasPrefix("$JS.FC.") { return flowed(publication.subject) }
        if publication.isAbout(".nodes") { return relay(publication) }
        guard publication.reply != nil else { return perform(publication, from: number) }
        requestCount += 1
        if !publication.isAbout("STREAM.INFO") { questionCount += 1 }
        let isAPI = publication.subject.hasPrefix("$JS.API.")
        var fault: ModelFault?
        if let index = plan.firstIndex(where: { publication.isAbout($0.text) }) {
            fault = plan.remove(at: index).fault
        } else {
            fault = faults.fault(ofAPI: isAPI, &dice)
        }
        guard let fault else { return perform(publication, from: number) }
        switch fault {
        case .loseRequest: break
        case .loseAnswer: perform(publication, from: number, answersAt: .some(nil))
        case .later(let wait): schedule(.perform(publication, from: number), at: now + wait)
        case .twice(let wait):
            perform(publication, from: number)
            // A message that no leader has taken does not arrive a second time.
            guard stream(of: publication).map({ isLed($0.name) }) ?? true else { return }
            schedule(.perform(publication, from: number), at: now + wait)
        case .slow(let wait): perform(publication, from: number, answersAt: now + wait)
        case .behind(let count):
            isBehindBy = count
            perform(publication, from: number)
            isBehindBy = 0
        case .copyBehind(let lag):
            copyLag = lag
            perform(publication, from: number)
            copyLag = nil
        case .refuse(let code, let error, let text):
            answersAt = arrival()
            answer(publication, ModelAnswers.error(code, error, text))
        case .noResponders:
            answersAt = arrival()
            answer(publication, headers: ModelAnswers.status("503"), "")
        }
    }

    private func perform(
        _ publication: ModelPublication, from number: Int, answersAt time: Int64?? = nil
    ) {
        answersAt = time ?? arrival()
        guard publication.subject.hasPrefix("$JS.API.") else { return store(publication) }
        let words = publication.subject.split(separator: ".").map(String.init)
        if words[2] + "." + words[3] == "STREAM.INFO" { return describe(words[4], publication) }
        let body = publication.payload.isEmpty ? Array("{}".utf8) : publication.payload
        let members = (try? JSON(parsing: body)).flatMap { value -> JSONObject? in
            if case .object(let members) = value { members } else { nil }
        }
        guard let members else {
            Issue.record("a request has no body")
            return
        }
        switch words[2] + "." + words[3] {
        case "STREAM.CREATE": create(words[4], members, publication)
        case "STREAM.INFO": describe(words[4], publication)
        case "STREAM.DELETE": delete(words[4], publication)
        case "STREAM.MSG" where isLed(words[5]): get(words[5], members, publication)
        case "STREAM.PURGE": purge(words[4], members, publication)
        case "DIRECT.GET": getBatch(words[4], members, publication)
        case "CONSUMER.CREATE" where isLed(words[4]):
            createConsumer(words[4], words[5], members, publication)
        case "STREAM.MSG", "CONSUMER.CREATE":
            answer(publication, headers: ModelAnswers.status("503"), "")
        default: Issue.record("nobody knows \(publication.subject)")
        }
    }

    /// Whether a stream has a leader.
    func isLed(_ stream: String) -> Bool { now >= leaderlessUntil[stream] ?? 0 }

    /// The stream that stores a publication.
    private func stream(of publication: ModelPublication) -> ModelStream? {
        streams.values.first { ModelSubject.matches(publication.subject, $0.filter) }
    }

    private func store(_ publication: ModelPublication) {
        let stream = stream(of: publication)
        if faults.leadersIn > 0, let stream, dice.oneIn(faults.leadersIn) {
            leaderlessUntil[stream.name] = now + Int64(dice.below(5_000))
        }
        guard let name = stream?.name, isLed(name) else {
            return answer(publication, headers: ModelAnswers.status("503"), "")
        }
        let gap = faults.gap > 0 ? dice.below(faults.gap + 1) : 0
        switch streams[name]?.store(publication, skipping: gap) {
        case .stored(let sequence)?: answer(publication, ModelAnswers.ack(name, sequence))
        case .wrong(let last)?:
            let text = "wrong last sequence: \(last)"
            answer(publication, ModelAnswers.error(400, 10_071, text, stream: name))
        case nil: break
        }
    }
}
