import Navigation

/// The hierarchy: one stack, and a sheet that is dismissed on the way to the root.
extension Story {
    static let hierarchy = stories(
        of: #"""
            {
             "id": "hierarchy",
             "routes": {
              "childView1": {},
              "childView2": {},
              "grandChildView": {},
              "grandGrandChildView": {"presentation":"sheet"}
             },
             "tabs": [
              {"id":"main","root":"mainView","routes":["childView1","childView2","grandChildView"]}
             ]
            }
            """#,
        [
            "push, push, present, dismiss, root": [
                Step(.navigate, #"{"route":"childView2"}"#, .shows("main* [childView2]")),
                Step(
                    .navigate, #"{"route":"grandChildView"}"#,
                    .shows("main* [childView2, grandChildView]")),
                Step(
                    .present, #"{"route":"grandGrandChildView"}"#,
                    .shows(
                        "main* [childView2, grandChildView] | grandGrandChildView []",
                        visible: "grandGrandChildView")),
                Step(
                    .dismiss, "{}",
                    .shows("main* [childView2, grandChildView]", visible: "grandChildView")),
                Step(.root, "{}", .shows("main* []", visible: "mainView")),
            ],
            "root from inside the sheet dismisses it and pops everything, in one revision": [
                Step(
                    .batch,
                    #"{"commands":[{"command":"navigate","route":"childView2"},{"command":"navigate","route":"grandChildView"},{"command":"present","route":"grandGrandChildView"}]}"#,
                    .shows(
                        "main* [childView2, grandChildView] | grandGrandChildView []",
                        has: #"{"revision":2}"#)),
                Step(.root, "{}", .shows("main* []", has: #"{"revision":3}"#)),
                Step(.root, "{}", .nothing("at-root")),
            ],
            "back: clamped, no-op at the root, strict on request": [
                Step(.navigate, #"{"route":"childView1"}"#, .shows("main* [childView1]")),
                Step(.back, #"{"count":5}"#, .shows("main* []", popped: 1)),
                Step(.back, "{}", .nothing("at-root", popped: 0)),
                Step(.back, #"{"count":0}"#, .refused("invalid-request")),
                Step(.back, #"{"count":-1}"#, .refused("invalid-request")),
                Step(.back, #"{"count":1.5}"#, .refused("invalid-request")),
            ],
            "back on a sheet with an empty path dismisses it; dismiss with nothing up is a no-op": [
                Step(.navigate, #"{"route":"grandChildView"}"#),
                Step(.present, #"{"route":"grandGrandChildView"}"#),
                Step(.back, "{}", .shows("main* [grandChildView]", popped: 1)),
                Step(.dismiss, "{}", .nothing("no-sheet")),
                Step(.dismiss, #"{"sheet":"nope"}"#, .refused("sheet-not-found")),
            ],
            "a batch is all or nothing": [
                Step(
                    .batch,
                    #"{"commands":[{"command":"navigate","route":"childView1"},{"command":"navigate","route":"nowhere"}]}"#,
                    .refused("unknown-route", index: 1))
            ],
            "a dry run tells and does nothing": [
                Step(.navigate, #"{"route":"childView1"}"#, .told)
            ],
        ])
}
