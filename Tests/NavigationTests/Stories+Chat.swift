import Navigation

/// The chat app: two tabs with their own stacks, a route that replaces the path, contacts as
/// values.
extension Story {
    static let chat = stories(
        of: #"""
            {
             "id": "chat",
             "title": "Chat",
             "$defs": {
              "Contact": {
               "type": "object",
               "required": ["id"],
               "additionalProperties": false,
               "properties": {"id":{"type":"string","minLength":1},"name":{"type":"string"}}
              }
             },
             "routes": {
              "contactList": {"title":"Contacts","hidesTabBar":true},
              "contactDetail": {
               "hidesTabBar": true,
               "params": {
                "type": "object",
                "required": ["contact"],
                "additionalProperties": false,
                "properties": {"contact":{"$ref":"#/$defs/Contact"}}
               }
              },
              "conversation": {
               "hidesTabBar": true,
               "mode": "reset",
               "params": {
                "type": "object",
                "required": ["contact"],
                "additionalProperties": false,
                "properties": {"contact":{"$ref":"#/$defs/Contact"}}
               }
              },
              "profileSettings": {"hidesTabBar":true},
              "privacySettings": {"hidesTabBar":true}
             },
             "tabs": [
              {
               "id": "chats",
               "title": "Chats",
               "root": "chatList",
               "routes": ["contactList","contactDetail","conversation"]
              },
              {
               "id": "settings",
               "title": "Settings",
               "root": "settingsHome",
               "routes": ["profileSettings","privacySettings"]
              }
             ]
            }
            """#,
        [
            "flow 1: chats, contact list, contact detail, conversation replaces the path": [
                Step(
                    .navigate, #"{"route":"contactList"}"#,
                    .shows("chats* [contactList] settings []")),
                Step(
                    .navigate,
                    #"{"route":"contactDetail","params":{"contact":{"id":"42","name":"Ada"}}}"#,
                    .shows(
                        #"chats* [contactList, contactDetail{"contact":{"id":"42","name":"Ada"}}] settings []"#,
                        visible: "contactDetail")),
                Step(
                    .navigate, #"{"route":"conversation","params":{"contact":{"id":"42"}}}"#,
                    .shows(
                        #"chats* [conversation{"contact":{"id":"42"}}] settings []"#,
                        has: #"{"visible":{"tabBarHidden":true},"canGoBack":true}"#)),
                Step(
                    .back, "{}",
                    .shows(
                        "chats* [] settings []", popped: 1,
                        has:
                            #"{"visible":{"route":"chatList","tabBarHidden":false},"canGoBack":false}"#
                    )),
            ],
            "flow 3 and independent tabs: the chat path survives a visit to the settings": [
                Step(.navigate, #"{"route":"contactList"}"#),
                Step(.select, #"{"tab":"settings"}"#, .shows("chats [contactList] settings* []")),
                Step(
                    .navigate, #"{"route":"profileSettings"}"#,
                    .shows("chats [contactList] settings* [profileSettings]")),
                Step(
                    .select, #"{"tab":"chats"}"#,
                    .shows("chats* [contactList] settings [profileSettings]")),
                Step(.select, #"{"tab":"chats"}"#, .shows("chats* [] settings [profileSettings]")),
                Step(.select, #"{"tab":"chats"}"#, .nothing("already-selected")),
            ],
            "naming another tab selects it and pushes there": [
                Step(
                    .navigate, #"{"route":"privacySettings","in":"settings"}"#,
                    .shows("chats [] settings* [privacySettings]"))
            ],
            "type safety: what the declared graph does not allow is refused and changes nothing": [
                Step(.navigate, #"{"route":"contactDetial"}"#, .refused("unknown-route")),
                Step(
                    .navigate, #"{"route":"profileSettings"}"#, .refused("route-not-allowed-here")),
                Step(.navigate, #"{"route":"contactDetail"}"#, .refused("invalid-params")),
                Step(
                    .navigate, #"{"route":"contactDetail","params":{"contact":{"id":"","age":7}}}"#,
                    .refused("invalid-params", at: ["/params/contact/id", "/params/contact/age"])),
                Step(
                    .navigate, #"{"route":"contactList","params":{"x":1}}"#,
                    .refused("invalid-params")),
                Step(
                    .navigate, #"{"route":"contactList","parms":{}}"#, .refused("invalid-request")),
                Step(.present, #"{"route":"contactList"}"#, .refused("route-not-allowed-here")),
                Step(.select, #"{"tab":"calls"}"#, .refused("tab-not-found")),
            ],
        ])
}
