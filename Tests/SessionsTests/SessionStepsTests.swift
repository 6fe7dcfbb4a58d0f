import Bytes
import JSON
import Navigation
import Sessions
import Testing

/// The JSON of steps, and of labels, byte by byte.
@Suite struct SessionStepsTests {
    typealias Step = NavigationState.Step

    private static let mail = TabID(trusted: "mail")
    private static let people = TabID(trusted: "people")

    private static var marked: Entry {
        var entry = Samples.entry(10, "folder", params: #"{"id":1}"#)
        entry.mark = MarkName(trusted: "start")
        return entry
    }

    private static var sheet: Sheet {
        var sheet = Sheet(
            id: EntryID(number: 9), style: .fullScreenCover,
            screen: Screen(route: RouteName(trusted: "compose")),
            presentedBy: .entry(EntryID(number: 10)))
        sheet.tag = "\"t\""
        return sheet
    }

    private static let steps: [(step: Step, text: String)] = [
        (
            .tabs(order: [people, mail], hidden: [mail]),
            #"{"step":"tabs","order":["people","mail"],"hidden":["mail"]}"#
        ),
        (.tabs(order: [], hidden: []), #"{"step":"tabs","order":[],"hidden":[]}"#),
        (.dismiss(EntryID(number: 7)), #"{"step":"dismiss","sheet":"e7"}"#),
        (.select(mail), #"{"step":"select","tab":"mail"}"#),
        (.pop(2, from: .tab(mail)), #"{"step":"pop","in":"mail","count":2}"#),
        (.pop(1, from: .sheet(EntryID(number: 9))), #"{"step":"pop","in":"e9","count":1}"#),
        (
            .push(marked, on: .sheet(EntryID(number: 9))),
            #"{"step":"push","in":"e9","entry":{"id":"e10","route":"folder","params":{"id":1},"#
                + #""mark":"start"}}"#
        ),
        (
            .present(sheet),
            #"{"step":"present","sheet":{"id":"e9","style":"fullScreenCover","route":"compose","#
                + #""params":{},"tag":"\"t\"","presentedBy":"e10","path":[]}}"#
        ),
        (
            .params(
                Samples.entry(3, "mail").screen, of: .entry(EntryID(number: 3)), sheet: nil),
            #"{"step":"params","entry":{"id":"e3","route":"mail","params":{}}}"#
        ),
        (.badge(.count(3), of: mail), #"{"step":"badge","tab":"mail","badge":3}"#),
        (.badge(.text("a\nb"), of: mail), #"{"step":"badge","tab":"mail","badge":"a\nb"}"#),
        (.badge(nil, of: mail), #"{"step":"badge","tab":"mail"}"#),
    ]

    @Test(arguments: steps)
    func `a step has its form`(step: Step, text: String) {
        #expect(
            String(decoding: SessionEncoder.encode([step], app: nil), as: UTF8.self) == "[\(text)]")
    }

    @Test func `steps are an array in their order`() throws {
        let bytes = SessionEncoder.encode(Self.steps.map(\.step), app: nil)
        let texts = Self.steps.map(\.text).joined(separator: ",")
        #expect(String(decoding: bytes, as: UTF8.self) == "[\(texts)]")
        guard case .array(let items) = try JSON(parsing: bytes) else {
            Issue.record("steps are an array")
            return
        }
        #expect(items.count == Self.steps.count)
        #expect(SessionEncoder.encode([], app: nil) == Array("[]".utf8))
    }

    @Test(arguments: [
        ([], "{}"),
        ([Label(key: "room", value: "")], #"{"room":""}"#),
        (
            [Label(key: "z", value: "\"\\"), Label(key: "a", value: "caf\u{e9}\n")],
            #"{"z":"\"\\","a":"café\n"}"#
        ),
    ])
    func `labels are an object in their order`(labels: [Label], text: String) {
        var writer = ByteWriter()
        writer.member("labels", labels)
        let written = writer.string
        #expect(written == #","labels":"# + text)
    }
}
