import Foundation
import NavstateClient

// Prints texts, titles and URLs that the types of `names.json` make, for comparison with
// `values.txt`.

let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys]
let screens: [Names.Screen] = [
    .q(p: nil, o: .init(x: nil, y: nil)), .q(p: "a", o: .init(x: 1)), .r(p: nil), .r(), .home,
    .t1(n: 3), .t2(l: ["z"]), .t2(l: []), .t3(m: ["k": 1e-7]), .t4(text0: "T", o: "O"),
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
