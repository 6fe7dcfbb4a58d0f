import JSON
import Navigation

/// An app of three tabs with guards on routes, on a tab and on a sheet, and the commands that
/// programs on it are made of.
enum GuardedWorld {
    static let document = #"""
        {"id":"guarded",
         "facts":{
          "in":{"default":false,"schema":{"type":"boolean"}},
          "level":{"default":0,"schema":{"enum":[0,1,2]}}},
         "guards":{
          "member":{"when":{"in":true},"instead":{"command":"present","route":"login"}},
          "staff":{"when":{"in":true,"level":[1,2]}},
          "rich":{"when":{"level":2},"instead":{"command":"navigate","route":"pay"}},
          "away":{"when":{"level":1},"instead":{"command":"select","tab":"c"}},
          "vip":{"when":{"level":[1,2]},"instead":{"command":"navigate","route":"lounge"}}},
         "routes":{
          "x":{},"pay":{},
          "account":{"guard":"member"},"stock":{"guard":"staff"},"gold":{"guard":"rich"},
          "far":{"guard":"away"},
          "lounge":{"guard":"member"},"vault":{"guard":["member","rich"]},
          "club":{"guard":["vip","rich"]},
          "login":{"presentation":"sheet","routes":["x","gold","account"]},
          "cover":{"presentation":"sheet","guard":"member","routes":["x","account"]}},
         "tabs":[
          {"id":"a","routes":["x","pay","account","stock","gold","far","lounge","vault","club"]},
          {"id":"b","guard":"member","routes":["x","gold"]},
          {"id":"c","routes":["x","pay"]}],
         "links":[
          {"pattern":"app://account","tab":"a","path":["x","account"]},
          {"pattern":"app://gold","tab":"b","path":["gold"]},
          {"pattern":"app://deal","tabs":["b","c"],"path":["x"],"mode":"push","guard":"vip"},
          {"pattern":"app://x","tabs":["c","a"],"path":["pay","x"],"mode":"update",
           "sheets":"keep"},
          {"pattern":"app://cover","tab":"c","present":{"route":"cover","path":["account"]}}]}
        """#

    static let all: [(CommandName, String)] = [
        (.navigate, #"{"route":"x"}"#),
        (.navigate, #"{"route":"account"}"#),
        (.open, #"{"url":"app://gold"}"#),
        (.setFacts, #"{"facts":{"in":true}}"#),
        (.setFacts, #"{"facts":{"in":null}}"#),
        (.setFacts, #"{"facts":{"level":2}}"#),
        (.present, #"{"route":"cover"}"#),
        (.back, "{}"),
        (.undo, "{}"),
        (.navigate, #"{"route":"far","in":"a"}"#),
        (.select, #"{"tab":"b"}"#),
        // Those above are the alphabet of the short programs.
        (.redo, "{}"),
        (.setFacts, #"{"facts":{"in":true,"level":1}}"#),
        (.setFacts, #"{"facts":{"level":0}}"#),
        (.navigate, #"{"route":"gold"}"#),
        (.navigate, #"{"route":"stock","in":"a"}"#),
        (.navigate, #"{"route":"x","in":"b","sheets":"dismiss"}"#),
        (.open, #"{"url":"app://account"}"#),
        (.open, #"{"url":"app://cover","sheets":"keep"}"#),
        (.select, #"{"tab":"c"}"#),
        (.select, #"{"tab":"a"}"#),
        (.dismiss, "{}"),
        (.root, #"{"scope":"all"}"#),
        (.setPath, #"{"in":"active","path":[{"route":"x"},{"route":"account"}]}"#),
        (.setPath, #"{"in":"b","path":[{"route":"x"},{"route":"gold"}]}"#),
        (
            .batch,
            #"""
            {"commands":[{"command":"setFacts","facts":{"in":true}},
             {"command":"navigate","route":"account","in":"a"}]}
            """#
        ),
        (
            .batch,
            #"""
            {"commands":[{"command":"navigate","route":"x","in":"a"},
             {"command":"setFacts","facts":{"in":false}}]}
            """#
        ),
        (
            .batch,
            #"""
            {"commands":[{"command":"navigate","route":"x"},
             {"command":"navigate","route":"account","in":"a"}]}
            """#
        ),
        (.navigate, #"{"route":"vault","in":"a"}"#),
        (.navigate, #"{"route":"club"}"#),
        (.navigate, #"{"route":"lounge","in":"a"}"#),
        (.open, #"{"url":"app://deal"}"#),
        (.open, #"{"url":"app://deal","tab":"b","mode":"replace"}"#),
        (.open, #"{"url":"app://x"}"#),
        (.open, #"{"url":"app://x","mode":"push","tab":"a","sheets":"dismiss"}"#),
        (.open, #"{"url":"app://account","mode":"push"}"#),
        (.open, #"{"url":"app://cover","mode":"update"}"#),
    ]

    static let alphabet = 11

    static func commands() throws -> [CommandRequest] {
        try all.map { name, body in
            let body = try object(body)
            let command = try Command(name, body: body, limits: Limits(), work: WorkBudget())
            return CommandRequest(command, body: body)
        }
    }

    static func world() throws -> World { try World(app: app(document)) }
}
