// Sessions in which something happens by itself, and what they must show.
//
//     k   its idle command pushes `i`, and each other change pushes `r`
//           →  no `i` lies on another one: the command is carried out once for a change
//           →  in the end an `i` is on top
//     e   each change presents a sheet for a second, under one tag
//           →  no sheet expires twice
//           →  in the end no sheet is left

/// The sessions with deadlines.
enum Deadlines {
    private static let idle = "k"
    private static let expiring = "e"
    static let ids = [idle, expiring]

    /// The deadlines of a session's creation.
    static func members(of id: String) -> String {
        guard id == idle else { return "" }
        let command = #"{"command":"navigate","in":"main","route":"i"}"#
        return #""idle":{"seconds":1,"command":\#(command)},"#
    }

    /// A path and a body that change the session.
    static func change(of id: String, marker: Int) -> (place: String, body: String) {
        guard id == idle else { return ("/present", #"{"route":"q","tag":"t","ttlSeconds":1}"#) }
        return ("/navigate", #"{"in":"main","route":"r","params":{"m":\#(marker)}}"#)
    }

    /// The fault of a state.
    ///
    /// - Parameter isLast: whether all deadlines are over.
    static func fault(in state: SeenState, of id: String, isLast: Bool) -> String? {
        let text = Array(state.text.utf8)
        switch id {
        case idle:
            let routes = routes(of: text)
            if zip(routes, routes.dropFirst()).contains(where: { $0 == "i" && $1 == "i" }) {
                return "the idle command was carried out twice: \(state.text)"
            }
            if isLast, routes.last != "i" {
                return "the idle command was not carried out: \(state.text)"
            }
        case expiring:
            if isLast, text.place(of: #""sheets":[]"#) == nil {
                return "a sheet did not expire: \(state.text)"
            }
        default: break
        }
        return nil
    }

    /// The routes on the paths of the tabs.
    private static func routes(of text: [UInt8]) -> [String] {
        guard var start = text.place(of: #""tabs":["#), let end = text.place(of: #""sheets":["#)
        else { return [] }
        var routes: [String] = []
        while let place = text.place(of: #""route":""#, from: start), place < end {
            start = place + 9
            routes.append(String(decoding: text[start...].prefix { $0 != 0x22 }, as: UTF8.self))
        }
        return routes
    }

    /// The fault of a history.
    static func fault(inHistory text: [UInt8]) -> String? {
        var (start, found) = (0, Set<Int>())
        let mark: StaticString = #""command":"expire","sheet":"e"#
        while let place = text.place(of: mark, from: start) {
            start = place + 1
            guard let number = text.number(after: mark, from: place) else { continue }
            if !found.insert(number).inserted { return "the sheet e\(number) expires twice" }
        }
        return nil
    }
}

extension Run {
    /// A change of a session with deadlines.
    func deadline() -> Exchange {
        let id = Deadlines.ids[world.below(2)]
        guard oracle.sessions[id]?.floor != nil else { return creation(id) }
        if world.oneIn(6) {
            return Exchange(.history, id, request("GET", "/v1/sessions/\(id)/history"))
        }
        let marker = number()
        let (place, body) = Deadlines.change(of: id, marker: marker)
        return change(id, "POST", place, body, marker: id == "k" ? marker : nil)
    }
}
