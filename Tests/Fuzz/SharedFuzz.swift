import Bytes

@testable import Cluster
import Navigation
import Sessions

/// Whatever a stream delivers is a record or an error, and a record that was read is written in a
/// form that is read as the same one. The input is a message without its length and its checksum,
/// which are added: with a wrong checksum nothing else would be looked at. The same holds for what
/// nodes ask each other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    read(bytes)
    readAsPeer(bytes)
    let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3 else { return 0 }
    var head = ByteWriter(capacity: lines[0].count + 64)
    head.append(lines[0])
    read(SharedRecordText.seal(head, event: Array(lines[1]), state: Array(lines[2])))
    return 0
}

private func read(_ message: [UInt8]) {
    if let record = try? SharedRecord(message[...]) {
        // Only the short form has a size, and it is written from the whole record.
        let whole = SharedRecord(
            record.content, previous: record.previous, born: record.born, writer: record.writer)
        precondition(whole == (try? SharedRecord(record.texts.whole[...])), "a record changed")
    }
    if let tokens = try? SharedTokens(message[...]) {
        precondition(tokens == (try? SharedTokens(tokens.text[...])), "tokens changed")
    }
    if let app = try? SharedApp(message[...]) {
        precondition(app == (try? SharedApp(app.text[...])), "an app changed")
    }
    if let facts = try? StoreFacts(message[...]) {
        precondition(facts == (try? StoreFacts(facts.text[...])), "facts changed")
    }
    _ = try? SharedRecordText(message[...]).link()
}

private func readAsPeer(_ message: [UInt8]) {
    if let question = PeerMessage<PeerQuestion>(message[...]) {
        precondition(question == PeerMessage(question.text[...]), "a question changed")
    }
    let ids = [SessionID(trusted: "a"), SessionID(trusted: "b")]
    let report = DisplayReport(id: ids[0], name: WatcherName(trusted: "wall"), revision: 1)
    for question in [PeerQuestion.watchers(ids), .watcherCounts(ids), .shown(report)] {
        guard let members = PeerMembers(message[...]),
            let answer = PeerMessage<PeerAnswer>(members, to: question)
        else { continue }
        let text = PeerMembers(answer.text(answering: question)[...])
        precondition(
            text.flatMap { PeerMessage<PeerAnswer>($0, to: question) } == answer,
            "an answer changed")
        var sum = answer.content
        sum.add(answer.content)
    }
}
