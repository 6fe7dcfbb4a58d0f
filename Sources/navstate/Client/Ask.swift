internal import API
internal import Bytes
internal import JSON
internal import Navigation
internal import POSIX

extension ClientCommand {
    /// Presents a sheet or a dialog, waits until it is gone, and prints its result.
    func ask() throws(ExitError) {
        var request = try request(.command(.present))
        // A sheet that a guard holds back would be asked later, or never.
        request.add("Prefer", "handling=strict")
        let asked = try call(request)
        let shown = (asked["session"]?["sheets"]?.items ?? []).compactMap { $0["id"]?.string }
        guard
            let sheet = asked["added"]?.items.compactMap(\.string).first(where: {
                shown.contains($0)
            })
        else { throw ExitError(.refused, "no sheet was presented") }
        let state = try answer(to: sheet)
        guard let result = state["result"] ?? state["button"] else {
            let reason = state["state"]?.plainText ?? "gone"
            throw ExitError(.refused, "there was no answer; the sheet is \(reason)")
        }
        printer.print(document: result)
    }

    /// Waits until a sheet is gone, and returns its last state.
    private func answer(to sheet: String) throws(ExitError) -> JSON {
        let path = "\(try words.path(.readSession))/sheets/\(PercentCoding.encode(sheet))"
        let end =
            hasTimeout ? Clock.monotonicMilliseconds + client.timeoutMilliseconds : Int64.max
        var client = client
        while true {
            let left = end - Clock.monotonicMilliseconds
            let seconds = max(1, min(Self.waitMax, (left + 999) / 1000))
            client.timeoutMilliseconds = (seconds + 10) * 1000
            var request = ClientRequest("GET", path)
            request.add("Prefer", "wait=\(seconds)")
            let state = try call(request, by: client)
            if state["state"]?.string != "presented" { return state }
            let rest = end - Clock.monotonicMilliseconds
            // A server that does not wait is not asked without a pause.
            if rest > 0, try !Wait.pause(min(rest, 500), ending: []) && rest > 500 { continue }
            // The time is over. An answer that arrives at this moment still counts.
            let body: JSONObject = ["sheet": .string(sheet), "force": .bool(true)]
            let target = "\(try words.path(.readSession))/dismiss"
            _ = try client.response(to: ClientRequest("POST", target, body: body.bytes))
            return try call(ClientRequest("GET", path))
        }
    }

    /// The longest wait of one request in seconds.
    private static let waitMax: Int64 = 50
}
