import FoundationEssentials
import JSON
import Navigation

/// The apps with which the rules in process are compared with the server.
enum ComparedApps {
    private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Examples/apps")

    /// The five example apps, and those of this file.
    static func all() throws -> [String] {
        let names = ["chat", "hierarchy", "routers", "shop", "social"]
        return try names.map {
            try String(contentsOf: examples.appending(path: "\($0).json"), encoding: .utf8)
        } + [hotel, vault]
    }

    /// Links of all kinds, roots with params, dialogs, presenters, popovers, an idle command, and a
    /// route behind two guards.
    static let hotel = """
        {
          "id": "hotel", "title": "Hotel", "caseSensitive": false, "tabBack": "history",
          "facts": {
            "signedIn": {"default": false, "schema": {"type": "boolean"}},
            "verified": {"default": false, "schema": {"type": "boolean"}}
          },
          "guards": {
            "guest": {"when": {"signedIn": true},
              "instead": {"command": "present", "route": "login"}},
            "identified": {"when": {"verified": true},
              "instead": {"command": "present", "route": "verify", "tag": "v"}}
          },
          "groups": {"stays": ["stay", "bill"]},
          "routes": {
            "find": {"title": "Results for {q}", "params": {"additionalProperties": false,
              "properties": {"q": {"type": "string", "default": ""}}}},
            "room": {"title": "Room {id}", "backTitle": "Room", "was": {"suite": {"id": "{number}"}},
              "identity": ["id"], "routes": ["room", "photos"],
              "params": {"required": ["id"], "additionalProperties": false,
                "properties": {"id": {"type": "string"}, "night": {"type": "string"}}}},
            "photos": {"presentation": ["push", "fullScreenCover"], "mode": "single",
              "hidesTabBar": true},
            "stay": {"title": "Your stay", "guard": ["guest", "identified"]},
            "bill": {"guard": "guest", "presentation": "any", "identity": [],
              "result": {"type": "object", "required": ["paid"],
                "properties": {"paid": {"type": "boolean"}}}},
            "menu": {"presentation": ["popover", "sheet"], "routes": ["dish"]},
            "dish": {"params": {"properties": {"name": {"enum": ["tea", "soup"]}}}},
            "map": {"presentation": ["inspector", "push"]},
            "login": {"presentation": "sheet", "routes": ["register"]},
            "register": {},
            "verify": {"presentation": "sheet"},
            "cancelStay": {"presentation": "alert", "on": ["stay", "room"],
              "title": "Cancel the stay in room {room}?",
              "buttons": [{"id": "cancel", "title": "Cancel {room}", "role": "destructive"},
                {"id": "keep", "title": "Keep it", "role": "cancel"}],
              "params": {"required": ["room"], "properties": {"room": {"type": "string"}}}}
          },
          "tabs": [
            {"id": "search", "root": {"route": "find", "params": {"q": ""}},
              "routes": ["room", "photos", "@stays", "map"]},
            {"id": "stays", "root": "stay", "routes": ["room", "photos"]},
            {"id": "lobby", "title": "Lobby", "routes": ["photos", "room"]}
          ],
          "links": [
            {"pattern": "hotel://search?q={q}", "tab": "search", "params": {"q": "{q}"}},
            {"pattern": "hotel://rooms/{id}?night={night?}", "mode": "push", "sheets": "keep",
              "tabs": ["search", "stays"], "guard": "guest", "caseSensitive": true,
              "path": [{"route": "room", "params": {"id": "{id}", "night": "{night}"}}]},
            {"pattern": "hotel://menu/{name}", "tab": "lobby", "mode": "update",
              "present": {"route": "menu",
                "path": [{"route": "dish", "params": {"name": "{name}"}}]}},
            {"pattern": "hotel://bill", "tab": "search", "path": ["bill"]},
            {"pattern": "hotel://suites/{id}", "redirect": "hotel://rooms/{id}"}
          ],
          "notFound": {"tab": "search", "params": {"q": "{url}"}},
          "templates": {
            "room7": {"commands": [
              {"command": "navigate", "route": "room", "params": {"id": "7"}, "mark": "mine"},
              {"command": "present", "route": "menu", "tag": "m"}]},
            "guarded": {"commands": [{"command": "navigate", "route": "bill"}]},
            "mine": {"commands": [
              {"command": "navigate", "route": "room", "params": {"id": "7"}, "locked": true},
              {"command": "present", "route": "menu", "style": "sheet", "dismissible": false}]}
          },
          "idle": {"seconds": 120,
            "command": {"command": "root", "scope": "all", "sheets": "force"}}
        }
        """

    /// Guards that lead to each other and to other tabs, one that shows nothing instead, and a fact
    /// of several values.
    static let vault = """
        {
          "id": "vault",
          "facts": {
            "level": {"default": 0, "schema": {"type": "integer", "minimum": 0, "maximum": 3}},
            "open": {"default": true}, "door": {"default": "shut"}
          },
          "guards": {
            "one": {"when": {"level": [1, 2, 3]},
              "instead": {"command": "navigate", "route": "ask", "params": {"level": 1}}},
            "two": {"when": {"level": [2, 3], "open": true},
              "instead": {"command": "select", "tab": "help"}},
            "three": {"when": {"level": 3, "door": "open"}},
            "closed": {"when": {"open": false}}
          },
          "routes": {
            "hall": {}, "ask": {"params": {"properties": {"level": {"type": "integer"}}}},
            "first": {"guard": "one"}, "second": {"guard": ["one", "two"]},
            "third": {"guard": "three", "routes": []}, "night": {"guard": "closed"},
            "form": {"presentation": "sheet", "guard": "one", "result": {"type": "integer"},
              "routes": ["first", "second"]},
            "warn": {"presentation": "confirmationDialog", "title": "Sure?",
              "message": "Level {level}", "params": {"properties": {"level": {"type": "integer"}}}}
          },
          "tabs": [
            {"id": "hall", "routes": ["ask", "first", "second", "third", "night"]},
            {"id": "help", "root": "ask", "routes": ["ask"]},
            {"id": "safe", "root": "second", "routes": ["first", "third"], "guard": ["one", "two"]}
          ],
          "links": [
            {"pattern": "/first", "tab": "hall", "path": ["first"]},
            {"pattern": "/second/{level}", "tab": "hall",
              "path": [{"route": "ask", "params": {"level": "{level}"}}, "second"]},
            {"pattern": "/form", "tab": "help", "present": {"route": "form", "path": ["first"]}},
            {"pattern": "/safe", "tab": "safe"},
            {"pattern": "/night", "tab": "hall", "guard": "one", "path": ["night"]}
          ]
        }
        """
}
