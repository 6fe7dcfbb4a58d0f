import NATS

/// Whatever a server sends, and wherever the network cuts it, the parser comes to the same end; and
/// what is read from a message is a value or an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let whole = outcome(bytes, cut: bytes.count)
    let cut = bytes.isEmpty ? 0 : Int(bytes[bytes.count / 2]) % bytes.count
    precondition(whole == outcome(bytes, cut: cut), "a cut changed the outcome")
    drive(bytes)
    return 0
}

private let limits = ProtocolLimits(payloadBytesMax: 4_096, headerBytesMax: 512)

private func outcome(_ bytes: [UInt8], cut: Int) -> [String] {
    var parser = FrameParser(limits: limits)
    var (start, end, steps) = (0, cut, [String]())
    while true {
        switch parser.parse(bytes, from: start, to: end) {
        case .needsMore(let wanted):
            precondition(wanted > end - start && wanted < limits.messageBytesMax + 5_000)
            if end == bytes.count { return steps + ["more"] }
            end = bytes.count
        case .frame(let frame, let consumed):
            precondition(consumed > 0 && start + consumed <= end)
            start += consumed
            steps.append(text(frame))
        case .refused(let error): return steps + ["\(error)"]
        }
    }
}

private func text(_ frame: Frame) -> String {
    switch frame {
    case .info(let info):
        // A set has no order.
        let traits = info.traits.map(\.rawValue).sorted()
        return "\(info.name) \(info.version) \(info.payloadBytesMax) \(traits)"
    case .message(let message): return look(message)
    case .ping, .pong, .ok, .error: return "\(frame)"
    }
}

private func look(_ message: Message) -> String {
    let ack = try? message.publishAck()
    let stored = try? message.answer(as: StoredMessage.self)
    let info = try? message.answer(as: StreamInfo.self)
    let created = try? message.answer(as: ConsumerCreated.self)
    let item = try? FeedItem(message)
    let subject = try? message.subject()
    if case .refused(let error)? = ack { _ = error.kind }
    if let answer = try? DirectAnswer(message) {
        var batch = BatchReader(countMax: 2)
        _ = batch.take(answer)
        _ = batch.take(answer)
    }
    let payload = message.payload.count
    return "\(subject?.text ?? "") \(payload) \(ack.map { "\($0)" } ?? "") "
        + "\(stored != nil) \(info != nil) \(created != nil) \(item.map { "\($0)" } ?? "")"
}

/// The state machines take whatever comes, at any time.
private func drive(_ bytes: [UInt8]) {
    guard let address = ServerAddress("a:1"), let inbox = try? Subject("_INBOX.1") else {
        preconditionFailure("constants")
    }
    var link = LinkState(
        ServerList([address], random: 1),
        ConnectOptions(credentials: .none, name: "n", version: "1"), at: 0)
    var reader = OrderedReader(after: 0)
    var requests = RequestTable<Int>(countMax: 4)
    _ = requests.linked(inbox: inbox)
    _ = reader.linked(at: 0)
    var (parser, start, now) = (FrameParser(limits: limits), 0, Int64(0))
    while case .frame(let frame, let consumed) = parser.parse(bytes, from: start, to: bytes.count) {
        start += consumed
        now += Int64(consumed) * 40
        if case .connect = link.expired(at: now, random: 7) { link.connected(at: now) }
        _ = link.received(frame, at: now, random: UInt64(consumed))
        if case .message(let message) = frame {
            _ = requests.begin(consumed, deadline: now + 100)
            requests.end(with: message)
            if let item = try? FeedItem(message) {
                let before = reader.lastSequence
                let action = reader.received(item, generation: 1, at: now, random: 3)
                precondition((action == .deliver) == (reader.lastSequence > before))
            }
        }
        _ = reader.expired(at: now, random: 3)
        _ = requests.expired(at: now)
        precondition(requests.count <= 4)
    }
}
