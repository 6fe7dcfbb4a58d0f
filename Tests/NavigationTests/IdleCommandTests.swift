import JSON
import Navigation
import TestSupport
import Testing

/// The commands for sessions that nobody changes, as requests have them.
@Suite struct IdleCommandTests {
    private func pointers(_ idle: String) throws -> [String] {
        let body = try object(#"{"idle":\#(idle)}"#)
        do {
            _ = try CreateSession(body, limits: Limits(), work: WorkBudget())
            return []
        } catch {
            guard case .invalidRequest(let faults) = error else { throw error }
            return faults.map(\.pointer)
        }
    }

    @Test(
        arguments: [
            (#"{"seconds":1,"command":{"command":"root"}}"#, []),
            (#"{"seconds":86400,"command":{"command":"root","scope":"all"}}"#, []),
            (#"{"seconds":60,"command":{"command":"batch","commands":[{"command":"root"}]}}"#, []),
            (#"{"seconds":0,"command":{"command":"root"}}"#, ["/idle/seconds"]),
            (#"{"seconds":86401,"command":{"command":"root"}}"#, ["/idle/seconds"]),
            (#"{"seconds":5}"#, ["/idle/command"]),
            (#"{"command":{"command":"root"}}"#, ["/idle/seconds"]),
            (#"{}"#, ["/idle/seconds", "/idle/command"]),
            (#"[]"#, ["/idle"]),
            (#"7"#, ["/idle"]),
            (#"{"seconds":5,"command":"root"}"#, ["/idle/command"]),
            (#"{"seconds":5,"command":{}}"#, ["/idle/command/command"]),
            (#"{"seconds":5,"command":{"command":"undo"}}"#, ["/idle/command/command"]),
            (#"{"seconds":5,"command":{"command":"redo"}}"#, ["/idle/command/command"]),
            (
                #"{"seconds":5,"command":{"command":"signal","name":"x"}}"#,
                ["/idle/command/command"]
            ),
            (#"{"seconds":5,"command":{"command":"expire"}}"#, ["/idle/command/command"]),
            (#"{"seconds":5,"command":{"command":"root","scope":"x"}}"#, ["/idle/command/scope"]),
            (#"{"seconds":5,"command":{"command":"root","x":1}}"#, ["/idle/command/x"]),
            (#"{"seconds":5,"command":{"command":"navigate"}}"#, ["/idle/command/route"]),
            (#"{"seconds":5,"command":{"command":"root"},"x":1}"#, ["/idle/x"]),
            (
                #"{"seconds":5,"command":{"command":"batch","commands":[{"command":"undo"}]}}"#,
                ["/idle/command/commands/0/command"]
            ),
            (
                #"{"seconds":5,"command":{"command":"batch","commands":[{"command":"navigate"}]}}"#,
                ["/idle/command/commands/0/route"]
            ),
        ] as [(String, [String])])
    func `its shape is checked`(idle: String, faults: [String]) throws {
        #expect(try pointers(idle) == faults)
    }

    @Test func `the command of a session has at most 4 KiB`() throws {
        func idle(_ count: Int) -> String {
            let filler = String(repeating: "x", count: count)
            return
                #"{"seconds":5,"command":{"command":"navigate","route":"r","params":{"f":"\#(filler)"}}}"#
        }
        let rest = #"{"command":"navigate","route":"r","params":{"f":""}}"#.utf8.count
        #expect(try pointers(idle(4_096 - rest)) == [])
        #expect(try pointers(idle(4_097 - rest)) == ["/idle/command"])
    }

    // MARK: Patches

    private func patched(_ settings: SessionSettings, _ patch: String) throws -> SessionSettings {
        try PatchSession(try object(patch), limits: Limits(), work: WorkBudget())
            .apply(to: settings, work: WorkBudget())
    }

    private func text(_ settings: SessionSettings) -> String? {
        settings.idle.map { String(decoding: $0.text, as: UTF8.self) }
    }

    @Test func `a patch changes the seconds, or the command as a whole, or removes both`() throws {
        var settings = SessionSettings()
        settings = try patched(
            settings, #"{"idle":{"seconds":5,"command":{"command":"root","scope":"all"}}}"#)
        #expect(text(settings) == #"{"seconds":5,"command":{"command":"root","scope":"all"}}"#)
        settings = try patched(settings, #"{"idle":{"seconds":9}}"#)
        #expect(text(settings) == #"{"seconds":9,"command":{"command":"root","scope":"all"}}"#)
        settings = try patched(settings, #"{"idle":{"command":{"command":"select","tab":"b"}}}"#)
        #expect(text(settings) == #"{"seconds":9,"command":{"command":"select","tab":"b"}}"#)
        #expect(try patched(settings, "{}") == settings)
        settings = try patched(settings, #"{"idle":null}"#)
        #expect(settings.idle == nil)
    }

    @Test(
        arguments: [
            (#"{"idle":{"seconds":9}}"#, ["/idle/command"]),
            (#"{"idle":{"command":{"command":"root"}}}"#, ["/idle/seconds"]),
            (#"{"idle":[]}"#, ["/idle"]),
            (
                #"{"idle":{"seconds":null,"command":{"command":"undo"}}}"#,
                ["/idle/seconds", "/idle/command/command"]
            ),
        ])
    func `a patch that leaves it incomplete is refused`(patch: String, faults: [String]) throws {
        do {
            _ = try patched(SessionSettings(), patch)
            Issue.record("accepted")
        } catch let error as RejectionError {
            guard case .invalidRequest(let found) = error else { throw error }
            #expect(found.map(\.pointer) == faults)
        }
    }

    // MARK: Signals

    @Test(
        arguments: [
            (#"{"name":"refresh"}"#, []), (#"{"name":"a","data":null}"#, []),
            ("{}", ["/name"]), (#"{"name":""}"#, ["/name"]), (#"{"name":"a b"}"#, ["/name"]),
            (#"{"name":"a","x":1}"#, ["/x"]),
            (#"{"name":"a","data":"\#(String(repeating: "x", count: 4_094))"}"#, []),
            (#"{"name":"a","data":"\#(String(repeating: "x", count: 4_095))"}"#, ["/data"]),
        ] as [(String, [String])])
    func `the shape of a signal is checked`(body: String, faults: [String]) throws {
        var reader = ObjectReader(try object(body), at: "", work: WorkBudget())
        _ = SignalContent(&reader)
        #expect(reader.faults.map(\.pointer) == faults)
    }
}
