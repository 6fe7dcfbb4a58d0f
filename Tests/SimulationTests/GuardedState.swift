// A guarded app in the simulation, and what its sessions must show.
//
//     signedIn is false  →  no screen of the route `secret`, and the tab `vault` is not selected
//     signedIn is true   →  nothing is pending
//     pending            →  the login that it waits behind is there
//
// From one revision to the next:
//
//     level stays        →  signedIn stays; what was pending still is, or its login is gone
//     level changes      →  it is the number of a `setFacts`, and not the default again
//     signedIn gets true →  what was pending is visible, if it could be carried out

/// The facts, guards and the pending command of a state.
struct GuardedState: Equatable {
    /// The pending command.
    struct Pending: Equatable {
        /// The number of its screen; nil if it selects a tab.
        var number: Int?
        /// The number of the login's id.
        var entry: Int
        /// Whether it would push on a sheet, which may be gone when it is resumed.
        var isForSheet: Bool
    }

    /// Whether the session's app has facts.
    var isBound = false
    var isSignedIn = false
    /// The number of the `setFacts` that set the fact `level`.
    var level = 0
    var pending: Pending?
    /// The number of the guarded screen that is visible.
    var secret: Int?
    /// The ids of entries and sheets.
    var ids: Set<Int> = []
    /// The contradiction to the rules.
    var fault: String?

    /// The numbers of the changes that it shows.
    var markers: [Int] {
        [level > 0 ? level : nil, pending?.number, secret].compactMap { $0 }
    }

    /// - Parameter bytes: a session's JSON.
    init(_ bytes: [UInt8]) {
        guard let begin = bytes.place(of: #","facts":{"#),
            let tabs = bytes.place(of: #","tabs":["#, from: begin),
            let visible = bytes.place(of: #","visible":{"#, from: tabs)
        else { return }
        let head = Array(bytes[begin..<tabs])
        let state = Array(bytes[tabs..<visible])
        isBound = true
        isSignedIn = head.place(of: #"{"signedIn":true"#) != nil
        level = head.number(after: #""level":"#) ?? 0
        secret = bytes.number(after: #""h":"#, from: visible)
        ids = Self.ids(state)
        if let place = head.place(of: #","pending":{"#) { read(pending: Array(head[place...])) }
        let isInVault = head.place(of: #","selectedTab":"vault""#) != nil
        if !isSignedIn, isInVault || state.place(of: #""route":"secret""#) != nil {
            fault = "something is left under a guard that fails"
        }
    }

    private mutating func read(pending text: [UInt8]) {
        guard let entry = text.number(after: #""entry":"e"#) else {
            fault = "the pending command has no entry"
            return
        }
        pending = Pending(
            number: text.number(after: #""h":"#), entry: entry,
            isForSheet: text.place(of: #""in":"e"#) != nil)
        if isSignedIn { fault = "a command is pending whose guard holds" }
        if !ids.contains(entry) { fault = "the entry of the pending command is gone" }
    }

    private static func ids(_ state: [UInt8]) -> Set<Int> {
        var (ids, start) = (Set<Int>(), 0)
        while let place = state.place(of: #"{"id":"e"#, from: start) {
            start = place + 1
            if let number = state.number(after: #"{"id":"e"#, from: place) { ids.insert(number) }
        }
        return ids
    }

    /// The fault of the next revision's state.
    func faultOfStep(to next: GuardedState) -> String? {
        guard isBound, next.isBound else { return isBound ? "the facts are gone" : nil }
        if level == next.level {
            if isSignedIn != next.isSignedIn { return "a fact has changed without setFacts" }
            if let pending, next.pending == nil, next.ids.contains(pending.entry) {
                return "what was pending is not, and its entry is there"
            }
        } else {
            if next.level == 0 { return "a fact has its default again" }
            if let pending, next.isSignedIn, !pending.isForSheet, next.secret != pending.number {
                return "what was pending is not resumed"
            }
        }
        return nil
    }

    /// The app, in a version that only its title shows.
    static func app(version: Int) -> String {
        #"""
        {"title":"version \#(version)",
         "facts":{"signedIn":{"default":false},"level":{"default":0}},
         "guards":{"member":{"when":{"signedIn":true},
                             "instead":{"command":"present","route":"login"}}},
         "routes":{"r":{"params":{}},"secret":{"params":{},"guard":"member"},
                   "login":{"presentation":"sheet"}},
         "tabs":[{"id":"main","routes":["r","secret"]},{"id":"side","routes":["r","secret"]},
                 {"id":"vault","routes":["r","secret"],"guard":"member"}],
         "tabBack":"history"}
        """#
    }
}
