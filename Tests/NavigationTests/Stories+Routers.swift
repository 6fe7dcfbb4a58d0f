import Navigation

/// The routers: four tabs with a router each, and destinations that they share.
extension Story {
    static let routers = stories(
        of: #"""
            {
             "id": "routers",
             "routes": {
              "viewOne": {"title":"View One"},
              "viewTwo": {"title":"View Two"},
              "transportation": {
               "params": {
                "type": "object",
                "required": ["type"],
                "additionalProperties": false,
                "properties": {
                 "type": {
                  "enum": [
                   "airplane",
                   "car",
                   "bus",
                   "tram",
                   "cablecar",
                   "ferry",
                   "bicycle",
                   "scooter",
                   "sailboat"
                  ]
                 }
                }
               }
              },
              "inbox": {},
              "chat": {},
              "subview": {"title":"Tab d subview"}
             },
             "groups": {"inboxNavigation":["chat"]},
             "tabs": [
              {"id":"a","title":"Tab A","root":"tabA","routes":["viewOne","viewTwo"]},
              {"id":"b","title":"Tab B","root":"tabB","routes":["transportation"]},
              {"id":"c","title":"Tab C","root":"tabC","routes":["inbox","@inboxNavigation"]},
              {
               "id": "d",
               "title": "Tab D",
               "root": "tabD",
               "routes": ["subview","inbox","@inboxNavigation"]
              }
             ]
            }
            """#,
        [
            "basic, associated values, nested, reused": [
                Step(.navigate, #"{"route":"viewOne"}"#, .shows("a* [viewOne] b [] c [] d []")),
                Step(
                    .navigate, #"{"route":"transportation","in":"b","params":{"type":"tram"}}"#,
                    .shows(#"a [viewOne] b* [transportation{"type":"tram"}] c [] d []"#)),
                Step(.navigate, #"{"route":"inbox","in":"c"}"#),
                Step(
                    .navigate, #"{"route":"chat"}"#,
                    .shows(#"a [viewOne] b [transportation{"type":"tram"}] c* [inbox, chat] d []"#)),
                Step(.navigate, #"{"route":"inbox","in":"d"}"#),
                Step(
                    .navigate, #"{"route":"chat"}"#,
                    .shows(
                        #"a [viewOne] b [transportation{"type":"tram"}] c [inbox, chat] d* [inbox, chat]"#
                    )),
                Step(.root, #"{"scope":"all"}"#, .shows("a* [] b [] c [] d []")),
            ],
            "each router accepts its own destinations only": [
                Step(.navigate, #"{"route":"chat"}"#, .refused("route-not-allowed-here")),
                Step(
                    .navigate, #"{"route":"subview","in":"c"}"#, .refused("route-not-allowed-here")),
                Step(
                    .navigate, #"{"route":"transportation","in":"b","params":{"type":"rocket"}}"#,
                    .refused("invalid-params", at: ["/params/type"])),
            ],
        ])
}
