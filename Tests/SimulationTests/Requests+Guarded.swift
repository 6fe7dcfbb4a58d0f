// Requests to sessions of the guarded app, and to many sessions.

extension Run {
    /// The sessions of the run have the guarded app, as soon as that is known to be there.
    var appMember: String {
        plan.isGuarded && hasGuardedApp ? #""app":"g","# : ""
    }

    /// Whether sessions can be created: those of the guarded app need it.
    var canCreate: Bool { !plan.isGuarded || hasGuardedApp }

    private var hasGuardedApp: Bool { oracle.apps["g"]?.shown ?? 0 > 0 }

    func guardedApp() -> Exchange {
        let version = number()
        let body = GuardedState.app(version: version)
        return Exchange(.putApp(version: version), "g", request("PUT", "/v1/apps/g", body))
    }

    /// A command that a fact may hold back.
    func guarded(_ id: String) -> Exchange {
        let marker = number()
        let tab = world.oneIn(3) ? #","in":"side""# : ""
        var exchange = change(
            id, "POST", "/navigate",
            #"{"route":"secret","params":{"h":\#(marker)},"sheets":"dismiss"\#(tab)}"#,
            marker: marker)
        exchange.shows = #""h":\#(marker)"#
        return exchange
    }

    func facts(_ id: String) -> Exchange {
        let marker = number()
        let body = #"{"facts":{"signedIn":\#(world.oneIn(2)),"level":\#(marker)}}"#
        var exchange = change(id, "POST", "/setFacts", body, marker: marker)
        exchange.shows = #""level":\#(marker)"#
        return exchange
    }

    func selection(_ id: String) -> Exchange {
        if world.oneIn(3) { return change(id, "POST", "/back", "{}") }
        let tab = ["main", "side", "vault"][world.below(3)]
        return change(id, "POST", "/select", #"{"tab":"\#(tab)"}"#)
    }

    func order(_ id: String) -> Exchange {
        let order = [#""main","side","vault""#, #""side","vault","main""#][world.below(2)]
        return change(id, "POST", "/setTabs", #"{"order":[\#(order)]}"#)
    }

    /// A batch that leaves a screen and finds it again by its mark.
    func marked(_ id: String) -> Exchange {
        let marker = number()
        let body = #"""
            {"commands":[{"command":"navigate","route":"r","params":{"m":\#(marker)},"mark":"spot"},
            {"command":"navigate","route":"r"},{"command":"back","to":{"mark":"spot"}}]}
            """#
        return change(id, "POST", "/batch", body, marker: marker)
    }

    /// A command for the sessions that have the label.
    func many() -> Exchange {
        if let id = ManyFacts.ids.first(where: { oracle.sessions[$0]?.floor == nil }) {
            return creation(id)
        }
        let marker = number()
        let (key, app) = (key(), plan.isGuarded && world.oneIn(2) ? #""app":"g","# : "")
        let command =
            #"{"command":"navigate","route":"r","mode":"reset","params":{"x":\#(marker)}}"#
        let body = #"{\#(app)"labels":{\#(ManyFacts.label)},"command":\#(command)}"#
        var exchange = Exchange(
            .many(number: marker), "", request("POST", "/v1/commands", body, field(key)))
        exchange.key = key
        return exchange
    }
}
