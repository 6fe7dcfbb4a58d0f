import JSON
import TestSupport
import Testing

extension JSONObject {
    fileprivate func text(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }

    fileprivate func number(_ name: String) -> Int? {
        guard case .integer(let number)? = self[name] else { return nil }
        return Int(number)
    }
}

/// A push consumer of the model.
struct ModelConsumer {
    let stream: String
    let name: String
    let deliverSubject: String
    /// The number of the next message, or of one before it.
    var next: Int
    /// Up to this number only the last message of each subject is delivered.
    let lastsUpTo: Int
    /// Whether messages are delivered without their payload.
    let hasHeadersOnly: Bool
    /// When the next message may be delivered.
    var deliversAt: Int64 = 0
    /// The number of deliveries.
    var count = 0
    /// The stream sequence of the last delivery.
    var last = 0
    /// When the next heartbeat is due.
    var heartbeatAt: Int64
    /// When the last delivery arrives. The next one is not earlier, if nothing goes wrong.
    var lastArrival: Int64 = 0
    /// The flow control request that has no reply yet, and how many messages followed it.
    var flow: (subject: String, count: Int)?

    static let heartbeat: Int64 = 500
    /// One delivery in so many is followed by a flow control request.
    static let flowInterval = 20
}

// The answers of JetStream.
extension ModelServers {
    func create(_ name: String, _ config: JSONObject, _ request: ModelPublication) {
        if let stream = streams[name], stream.firstSequence != config.number("first_seq") ?? 1 {
            return answer(request, ModelAnswers.error(400, 10_058, "stream name already in use"))
        }
        if streams[name] == nil {
            guard case .array(let subjects)? = config["subjects"],
                case .string(let filter)? = subjects.first,
                let count = config.number("max_msgs_per_subject")
            else {
                Issue.record("a stream without subjects")
                return
            }
            streamCount += 1
            streams[name] = ModelStream(
                name: name, filter: filter, messagesPerSubjectMax: count, created: streamCount,
                config: JSON.object(config).text, firstSequence: config.number("first_seq") ?? 1)
        }
        describe(name, request)
    }

    func delete(_ name: String, _ request: ModelPublication) {
        // Its consumers end with it.
        guard streams.removeValue(forKey: name) != nil else {
            return answer(request, ModelAnswers.error(404, 10_059, "stream not found"))
        }
        consumers.removeAll { $0.stream == name }
        answer(request, #"{"success":true}"#)
    }

    func describe(_ name: String, _ request: ModelPublication) {
        guard let stream = streams[name] else {
            return answer(request, ModelAnswers.error(404, 10_059, "stream not found"))
        }
        // A server that only has a copy may know less, and says that there is no leader.
        let time = timeText(name, now)
        answer(
            request,
            isLed(name)
                ? stream.info(upTo: known(stream), copyLag: copyLag, time: time)
                : stream.info(upTo: 0, isLed: false, time: time))
    }

    /// Changes a part of a stream's configuration.
    func reconfigure(_ name: String, _ part: String, _ other: String) {
        guard let config = streams[name]?.config else { return }
        streams[name]?.config = config.replacing(part, with: other)
    }

    func purge(_ name: String, _ query: JSONObject, _ request: ModelPublication) {
        guard let subject = query.text("filter"), let end = query.number("seq") else {
            Issue.record("a purge of everything")
            return
        }
        let count = streams[name]?.purge(subject, before: end) ?? 0
        answer(request, #"{"success":true,"purged":\#(count)}"#)
    }

    /// Deletes a stream with its consumers, and creates it again without messages.
    func recreate(_ name: String) {
        guard let stream = streams[name] else { return }
        streamCount += 1
        streams[name] = ModelStream(
            name: name, filter: stream.filter,
            messagesPerSubjectMax: stream.messagesPerSubjectMax, created: streamCount,
            config: stream.config, firstSequence: stream.firstSequence)
        consumers.removeAll { $0.stream == name }
    }

    /// Deletes a stream.
    func delete(_ name: String) {
        streams[name] = nil
        consumers.removeAll { $0.stream == name }
    }

    /// Forgets the last messages of a stream.
    func lose(_ count: Int, of name: String) { streams[name]?.lose(count) }

    /// The last number that the server that answers knows.
    private func known(_ stream: ModelStream) -> Int {
        isBehindBy < stream.log.count
            ? stream.log[stream.log.count - 1 - isBehindBy].sequence : 0
    }

    /// When a message was stored, in nanoseconds since 1970.
    private func storedAt(_ message: ModelMessage) -> Int { messageEpoch + message.time }

    func get(_ name: String, _ query: JSONObject, _ request: ModelPublication) {
        guard let stream = streams[name] else {
            return answer(request, ModelAnswers.error(404, 10_059, "stream not found"))
        }
        let found: ModelMessage?
        if let subject = query.text("last_by_subj") {
            found = stream.messages(of: subject, upTo: known(stream)).last
        } else if let subject = query.text("next_by_subj"), let first = query.number("seq") {
            found = stream.messages(matching: subject, from: first, upTo: known(stream)).first
        } else {
            found = stream.log.first { $0.sequence == query.number("seq") && stream.has($0) }
        }
        let missing = ModelAnswers.error(404, 10_037, "no message found")
        let text = found.map { ModelAnswers.found($0, storedAt: storedAt($0)) }
        answer(request, text ?? missing)
    }

    func getBatch(_ name: String, _ query: JSONObject, _ request: ModelPublication) {
        guard let stream = streams[name], let subject = query.text("next_by_subj"),
            let first = query.number("seq"), let count = query.number("batch")
        else { return answer(request, headers: ModelAnswers.status("408 Bad Request"), "") }
        let all = stream.messages(matching: subject, from: first, upTo: known(stream))
        guard !all.isEmpty else {
            return answer(request, headers: ModelAnswers.status("404 Message Not Found"), "")
        }
        var parts: [(headers: [UInt8], payload: [UInt8])] = []
        let bytesMax = min(query.number("max_bytes") ?? .max, batchBytesMax)
        var (previous, bytes) = (0, 0)
        for (index, message) in all.prefix(count).enumerated() where bytes < bytesMax {
            bytes += message.payload.count
            let headers = ModelAnswers.part(
                message, storedAt: storedAt(message), of: name, pending: all.count - 1 - index,
                previous: previous)
            parts.append((headers, message.payload))
            previous = message.sequence
        }
        let left = all.count - parts.count
        let end = ["Nats-Num-Pending: \(left)", "Nats-Last-Sequence: \(previous)"]
        parts.append((ModelAnswers.status("204 EOB", end), []))
        answer(request, parts: parts)
    }

    func createConsumer(
        _ name: String, _ consumer: String, _ body: JSONObject, _ request: ModelPublication
    ) {
        guard let stream = streams[name], case .object(let config)? = body["config"],
            let deliverSubject = config.text("deliver_subject")
        else { return answer(request, ModelAnswers.error(404, 10_059, "stream not found")) }
        if !consumers.contains(where: { $0.name == consumer }) {
            let isLast = config.text("deliver_policy") == "last_per_subject"
            consumers.append(
                ModelConsumer(
                    stream: name, name: consumer, deliverSubject: deliverSubject,
                    next: config.number("opt_start_seq") ?? 1,
                    lastsUpTo: isLast ? stream.lastSequence : 0,
                    hasHeadersOnly: config["headers_only"] == .bool(true),
                    heartbeatAt: now + ModelConsumer.heartbeat))
        }
        let made = consumers.first { $0.name == consumer }
        let pending = made.map { waiting(for: $0).count } ?? 0
        answer(
            request,
            #"{"stream_name":"\#(name)","name":"\#(consumer)","num_pending":\#(pending)}"#)
    }

    private func waiting(for consumer: ModelConsumer) -> [ModelMessage] {
        streams[consumer.stream]?
            .messages(from: consumer.next, lastPerSubjectUpTo: consumer.lastsUpTo) ?? []
    }

    // MARK: Feeds

    /// Delivers what consumers have not delivered, and ends those that nobody listens to.
    func feedConsumers() {
        consumers.removeAll { consumer in
            !connections.values.contains { $0.subscription(to: consumer.deliverSubject) != nil }
        }
        for index in consumers.indices where isLed(consumers[index].stream) {
            let waiting = waiting(for: consumers[index])
            for (place, message) in waiting.enumerated() where mayDeliver(index) {
                deliver(message, to: index, pending: waiting.count - 1 - place)
            }
            if consumers[index].heartbeatAt <= now { sendHeartbeat(index) }
        }
        for index in consumers.indices where !isLed(consumers[index].stream) {
            consumers[index].heartbeatAt = max(consumers[index].heartbeatAt, now + 100)
        }
    }

    private func mayDeliver(_ index: Int) -> Bool {
        !holdsFeeds && !isStalled(index) && consumers[index].deliversAt <= now
    }

    private func isStalled(_ index: Int) -> Bool {
        (consumers[index].flow?.count ?? 0) > ModelConsumer.flowInterval
    }

    private func deliver(_ message: ModelMessage, to index: Int, pending: Int) {
        consumers[index].count += 1
        consumers[index].next = message.sequence + 1
        consumers[index].last = message.sequence
        consumers[index].flow?.count += 1
        let isSlow = slowStream == nil || slowStream == consumers[index].stream
        consumers[index].deliversAt = now + (isSlow ? deliveryPause : 0)
        let consumer = consumers[index]
        let ack =
            "$JS.ACK.\(consumer.stream).\(consumer.name).1.\(message.sequence)"
            + ".\(consumer.count).\(storedAt(message)).\(pending)"
        let inOrder = max(consumer.lastArrival, arrival())
        var arrivals = [inOrder]
        if faults.deliveriesIn > 0, dice.oneIn(faults.deliveriesIn) {
            let late = inOrder + Int64(dice.below(2_000))
            arrivals = [[], [late], [inOrder, late]][dice.below(3)]
        }
        consumers[index].lastArrival = inOrder
        consumers[index].heartbeatAt = now + ModelConsumer.heartbeat
        for time in arrivals {
            send(
                {
                    ModelAnswers.message(
                        message.subject, $0, reply: ack, headers: message.headers,
                        consumer.hasHeadersOnly ? [] : message.payload)
                }, to: consumer.deliverSubject, at: time)
        }
        if consumer.count % ModelConsumer.flowInterval == 0, consumer.flow == nil {
            askForFlow(index)
        }
    }

    private func askForFlow(_ index: Int) {
        let consumer = consumers[index]
        let subject = "$JS.FC.\(consumer.stream).\(consumer.name).\(consumer.count)"
        consumers[index].flow = (subject, 0)
        let status = ModelAnswers.status("100 FlowControl Request")
        let deliverSubject = consumer.deliverSubject
        send(
            { ModelAnswers.message(deliverSubject, $0, reply: subject, headers: status, []) },
            to: deliverSubject, at: consumer.lastArrival)
    }

    /// The client has processed what came before a flow control request.
    func flowed(_ subject: String) {
        for index in consumers.indices where consumers[index].flow?.subject == subject {
            consumers[index].flow = nil
        }
    }

    /// Up to where a consumer has read its stream.
    private func position(of consumer: ModelConsumer) -> Int {
        let start = consumer.next - 1
        guard waiting(for: consumer).isEmpty else { return start }
        return max(start, streams[consumer.stream]?.lastSequence ?? 0)
    }

    private func sendHeartbeat(_ index: Int) {
        consumers[index].heartbeatAt = now + ModelConsumer.heartbeat
        let consumer = consumers[index]
        var headers = [
            "Nats-Last-Consumer: \(consumer.count)", "Nats-Last-Stream: \(position(of: consumer))",
        ]
        if isStalled(index), let flow = consumer.flow {
            headers.append("Nats-Consumer-Stalled: \(flow.subject)")
        }
        if faults.deliveriesIn > 0, dice.oneIn(faults.deliveriesIn) { return }
        let status = ModelAnswers.status("100 Idle Heartbeat", headers)
        let deliverSubject = consumer.deliverSubject
        send(
            { ModelAnswers.message(deliverSubject, $0, headers: status, []) },
            to: deliverSubject, at: max(consumer.lastArrival, arrival()))
    }
}
