import Bytes
import HTTP
import Testing

@Suite struct EventStreamTests {
    private func text(_ write: (inout ByteWriter) -> Void) -> String {
        var out = ByteWriter()
        write(&out)
        return out.string
    }

    private func event(_ data: String) -> String {
        let data = Array(data.utf8)
        return text { out in
            EventStreamEncoder.append(event: "change", id: 7, to: &out) { $0.append(data) }
        }
    }

    private let one = Array("1".utf8)

    @Test func `an event has its id, its name and its data`() {
        #expect(event("{\"a\":1}") == "id: 7\nevent: change\ndata: {\"a\":1}\n\n")
    }

    @Test func `an event may have no id`() {
        let written = text { out in
            EventStreamEncoder.append(event: "hello", id: nil, to: &out) { $0.append(one) }
        }
        #expect(written == "event: hello\ndata: 1\n\n")
    }

    @Test func `an id may be a text`() {
        let written = text { out in
            EventStreamEncoder.append(id: Array("pA_9-z".utf8), to: &out)
            EventStreamEncoder.append(event: "hello", id: nil, to: &out) { $0.append(one) }
        }
        #expect(written == "id: pA_9-z\nevent: hello\ndata: 1\n\n")
    }

    @Test(arguments: [
        ("a\nb", "data: a\ndata: b\n\n"), ("a\r\nb", "data: a\ndata: b\n\n"),
        ("a\rb", "data: a\ndata: b\n\n"), ("\n", "data: \ndata: \n\n"), ("", "data: \n\n"),
        ("a\n\nevent: x", "data: a\ndata: \ndata: event: x\n\n"),
        ("a\r\r\n", "data: a\ndata: \ndata: \n\n"),
    ])
    func `no payload can end its event`(payload: String, data: String) {
        #expect(event(payload) == "id: 7\nevent: change\n" + data)
    }

    @Test func `comments and waiting times stand alone`() {
        #expect(text { EventStreamEncoder.appendComment(to: &$0) } == ":\n\n")
        let retry = text { EventStreamEncoder.append(retryMilliseconds: 1_500, to: &$0) }
        #expect(retry == "retry: 1500\n\n")
    }
}
