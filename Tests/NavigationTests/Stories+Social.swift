import Navigation

/// The social app: routes with values, a badge, a sheet with its own stack, a cover, deep links.
extension Story {
    static let social = stories(
        of: #"""
            {
             "id": "social",
             "$defs": {
              "Post": {
               "type": "object",
               "required": ["id","title"],
               "additionalProperties": false,
               "properties": {
                "id": {"type":"integer"},
                "title": {"type":"string"},
                "body": {"type":"string"},
                "userId": {"type":"integer"}
               }
              }
             },
             "routes": {
              "settings": {"presentation":"any"},
              "profile": {},
              "postDetail": {
               "presentation": "any",
               "params": {
                "type": "object",
                "required": ["id"],
                "additionalProperties": false,
                "properties": {"id":{"type":"integer"},"post":{"$ref":"#/$defs/Post"}}
               }
              },
              "userProfile": {
               "params": {
                "type": "object",
                "required": ["userId"],
                "additionalProperties": false,
                "properties": {"userId":{"type":"string"}}
               }
              },
              "newPost": {"presentation":"sheet","routes":["audience"]},
              "audience": {}
             },
             "groups": {"everywhere":["postDetail","userProfile"]},
             "tabs": [
              {"id":"home","title":"Home","icon":"house","root":"feed","routes":["@everywhere"]},
              {
               "id": "search",
               "title": "Search",
               "icon": "magnifyingglass",
               "root": "explore",
               "routes": ["@everywhere"]
              },
              {
               "id": "profile",
               "title": "Profile",
               "icon": "person",
               "root": "me",
               "routes": ["@everywhere","settings"]
              }
             ],
             "links": [
              {
               "pattern": "myapp://post/{id}",
               "tab": "home",
               "path": [{"route":"postDetail","params":{"id":"{id}"}}]
              },
              {
               "pattern": "myapp://post/{id}/author/{userId}",
               "tab": "home",
               "path": [
                {"route":"postDetail","params":{"id":"{id}"}},
                {"route":"userProfile","params":{"userId":"{userId}"}}
               ]
              },
              {"pattern":"myapp://settings","tab":"profile","path":["settings"]},
              {"pattern":"myapp://compose","tab":"home","present":{"route":"newPost"}}
             ]
            }
            """#,
        [
            "homework: deep in one tab, switch, switch back; present from a detail, dismiss, the detail is still there":
                [
                    Step(
                        .navigate, #"{"route":"postDetail","params":{"id":7}}"#,
                        .shows(#"home* [postDetail{"id":7}] search [] profile []"#)),
                    Step(.navigate, #"{"route":"userProfile","params":{"userId":"u1"}}"#),
                    Step(
                        .select, #"{"tab":"profile"}"#,
                        .shows(
                            #"home [postDetail{"id":7}, userProfile{"userId":"u1"}] search [] profile* []"#
                        )),
                    Step(.navigate, #"{"route":"settings"}"#),
                    Step(
                        .select, #"{"tab":"home"}"#,
                        .shows(
                            #"home* [postDetail{"id":7}, userProfile{"userId":"u1"}] search [] profile [settings]"#
                        )),
                    Step(.back, "{}"),
                    Step(
                        .present, #"{"route":"newPost"}"#,
                        .shows(
                            #"home* [postDetail{"id":7}] search [] profile [settings] | newPost []"#
                        )),
                    Step(
                        .navigate, #"{"route":"audience"}"#,
                        .shows(
                            #"home* [postDetail{"id":7}] search [] profile [settings] | newPost [audience]"#
                        )),
                    Step(
                        .back, "{}",
                        .shows(
                            #"home* [postDetail{"id":7}] search [] profile [settings] | newPost []"#
                        )),
                    Step(
                        .back, "{}",
                        .shows(#"home* [postDetail{"id":7}] search [] profile [settings]"#)),
                ],
            "sheet(item:): the same tag replaces, another tag stacks; a full-screen cover over a sheet":
                [
                    Step(
                        .present, #"{"route":"postDetail","params":{"id":1},"tag":"post"}"#,
                        .shows(#"home* [] search [] profile [] | postDetail{"id":1} []"#)),
                    Step(
                        .present, #"{"route":"postDetail","params":{"id":1},"tag":"post"}"#,
                        .nothing("same-entry")),
                    Step(
                        .present, #"{"route":"postDetail","params":{"id":2},"tag":"post"}"#,
                        .shows(#"home* [] search [] profile [] | postDetail{"id":2} []"#)),
                    Step(
                        .present, #"{"route":"settings","style":"fullScreenCover"}"#,
                        .shows(
                            #"home* [] search [] profile [] | postDetail{"id":2} [] <cover>settings []"#
                        )),
                    Step(.dismiss, #"{"tag":"post"}"#, .shows("home* [] search [] profile []")),
                ],
            "stacked sheets: dismiss one, dismiss all; tab paths are kept": [
                Step(.navigate, #"{"route":"postDetail","params":{"id":5}}"#),
                Step(.present, #"{"route":"newPost"}"#),
                Step(.present, #"{"route":"settings","style":"fullScreenCover"}"#),
                Step(
                    .present, #"{"route":"postDetail","params":{"id":9}}"#,
                    .shows(
                        #"home* [postDetail{"id":5}] search [] profile [] | newPost [] <cover>settings [] postDetail{"id":9} []"#
                    )),
                Step(
                    .dismiss, "{}",
                    .shows(
                        #"home* [postDetail{"id":5}] search [] profile [] | newPost [] <cover>settings []"#
                    )),
                Step(
                    .dismiss, #"{"all":true}"#,
                    .shows(#"home* [postDetail{"id":5}] search [] profile []"#)),
            ],
            "badges": [
                Step(
                    .setBadge, #"{"tab":"home","badge":3}"#,
                    .shows("home#3* [] search [] profile []")),
                Step(
                    .setBadge, #"{"tab":"home","badge":0}"#, .shows("home* [] search [] profile []")
                ),
                Step(.setBadge, #"{"tab":"home","badge":-1}"#, .refused("invalid-request")),
            ],
            "deep links set the right state, dismiss what is in the way, and are idempotent": [
                Step(.select, #"{"tab":"search"}"#),
                Step(.present, #"{"route":"newPost"}"#),
                Step(
                    .open, #"{"url":"myapp://post/123"}"#,
                    .shows(#"home* [postDetail{"id":123}] search [] profile []"#)),
                Step(.open, #"{"url":"myapp://post/123"}"#, .nothing(nil)),
                Step(
                    .open, #"{"url":"myapp://post/9007199254740993/author/a%2Fb%20c"}"#,
                    .shows(
                        #"home* [postDetail{"id":9007199254740993}, userProfile{"userId":"a/b c"}] search [] profile []"#
                    )),
                Step(
                    .open, #"{"url":"myapp://settings"}"#,
                    .shows(
                        #"home [postDetail{"id":9007199254740993}, userProfile{"userId":"a/b c"}] search [] profile* [settings]"#
                    )),
                Step(
                    .open, #"{"url":"myapp://compose"}"#,
                    .shows(
                        #"home* [postDetail{"id":9007199254740993}, userProfile{"userId":"a/b c"}] search [] profile [settings] | newPost []"#
                    )),
            ],
            "links that match nothing": [
                Step(.open, #"{"url":"myapp://post/abc"}"#, .refused("no-route-for-url")),
                Step(.open, #"{"url":"myapp://post/%E0%A4%A"}"#, .refused("no-route-for-url")),
                Step(.open, #"{"url":"other://post/1"}"#, .refused("no-route-for-url")),
                Step(.open, #"{"url":""}"#, .refused("no-route-for-url")),
            ],
            "undo and redo cross tabs and sheets and are revisions of their own": [
                Step(.navigate, #"{"route":"postDetail","params":{"id":1}}"#),
                Step(.present, #"{"route":"newPost"}"#),
                Step(
                    .undo, "{}",
                    .shows(
                        #"home* [postDetail{"id":1}] search [] profile []"#, has: #"{"revision":4}"#
                    )),
                Step(.undo, "{}", .shows("home* [] search [] profile []")),
                Step(
                    .redo, #"{"count":2}"#,
                    .shows(#"home* [postDetail{"id":1}] search [] profile [] | newPost []"#)),
                Step(.redo, "{}", .nothing(nil)),
            ],
        ])
}
