import HTTP

/// Whatever a server sends, and wherever the network cuts it, a client comes to the same end: a
/// response with the same body and the same events, or the same error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let cut = bytes.isEmpty ? 0 : Int(bytes[bytes.count / 2]) % bytes.count
    let whole = outcome([bytes[...]])
    precondition(whole == outcome([bytes[..<cut], bytes[cut...]]), "a cut changed the outcome")
    precondition(whole == outcome(bytes.indices.map { bytes[$0...$0] }), "the bytes alone differ")
    return 0
}

private struct Outcome: Equatable {
    var head: ResponseHead?
    var isFinished = false
    var body: [UInt8] = []
    var events: [StreamedEvent] = []
    var retryMilliseconds: Int?
    var error: String?
}

private func outcome(_ parts: [ArraySlice<UInt8>]) -> Outcome {
    var parser = ResponseParser()
    var stream = EventStreamParser(eventBytesMax: 1 << 20)
    var outcome = Outcome()
    do {
        for part in parts {
            let body = try parser.feed(part)
            outcome.body += body
            outcome.events += try stream.feed(body)
        }
        try parser.finish()
        outcome.isFinished = parser.isFinished
    } catch {
        // The part of the body that came with the error is not handed over.
        outcome = Outcome(error: "\(error)")
    }
    outcome.head = parser.head
    outcome.retryMilliseconds = outcome.error == nil ? stream.retryMilliseconds : nil
    _ = parser.head?.mediaType
    return outcome
}
