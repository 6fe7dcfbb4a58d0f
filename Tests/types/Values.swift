import Foundation
import NavstateClient

// Prints texts, titles and URLs that the types of `names.json` make, for comparison with
// `values.txt`.

let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys]
let screens: [Names.Screen] = [
    .q(p: nil, o: .init(x: nil, y: nil)), .q(p: "a", o: .init(x: 1)), .r(p: nil), .r(), .home,
    .t1(n: 3), .t2(l: ["z"]), .t2(l: []), .t3(m: ["k": 1e-7]), .t4(text0: "T", o: "O"),
    .t1(n: 1e21), .u1(filter: .init(kind: .done)), .u1(), .u2(filter: .init(tags: ["v"])),
    .u3(contact: .init(address: .init(city: "C"))), .u4(o: .init(m: ["k": .a])),
    .u5(items: [.init(name: .init(first: "F"))]), .u6(p: .init(q: "Q")), .u6(p: .init()),
]
for screen in screens {
    let text = try encoder.encode(screen)
    let isSame = try JSONDecoder().decode(Names.Screen.self, from: text) == screen
    print(String(decoding: text, as: UTF8.self), isSame ? "read" : "changed", screen.title ?? "-")
}
for text in [#"{"x":null}"#, #"{"x":1,"y":null}"#] {
    let read = try JSONDecoder().decode(Names.QO.self, from: Data(text.utf8))
    print(text, read.x.map(\.description) ?? "nil", read.y.map(\.description) ?? "nil")
}
for params in [JSONValue.object(["p": .null]), .object([:])] {
    print(Names.Screen(route: "r", params: params) == .r(p: nil), terminator: " ")
}
print()
for number in [1e-7, 1e22, 3.5, 7] {
    print(Names.Link.String(s: "a b", n: number, tags: ["x y", "z"], ks: [.bC], is: [1]))
}
print(Names.Link.old(id: "x/y"), Names.Link.older(id: "1"), Names.Link.q(id: "2"))
print(Names.Link.frag(x: "1"), Names.Link.frag(), Names.Link.host(itemId: "7"))
print(Names.Screen.ACodingKeysScreen.guard?.rawValue ?? "nil")

/// The answers are those of the questions. An untyped one would not have the buttons.
@MainActor func ask(_ router: Router<Names.Screen>) async throws(NavstateError) -> String {
    guard let button = try await router.ask(.wipe) else { return "closed" }
    switch button {
    case .yes: return "yes"
    case .none: return "no"
    }
}
