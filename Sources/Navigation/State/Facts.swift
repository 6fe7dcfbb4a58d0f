package import JSON

/// The facts of a session: named JSON values in the order in which the app declares them.
///
/// The JSON text of all of them is kept, because every revision writes them and few change them.
package struct Facts: Sendable {
    /// The names, in the order of the declaration.
    package let names: [FactName]
    /// The values, by the index of their name; never null.
    package let values: [JSON]
    /// The facts as a JSON object.
    package let text: [UInt8]

    /// No facts.
    package static let none = Facts([])

    package init(_ facts: [(name: FactName, value: JSON)]) {
        names = facts.map(\.name)
        values = facts.map(\.value)
        let members = facts.map { ($0.name.rawValue, $0.value) }
        text = JSON.object(JSONObject(members)).bytes
    }

    /// Whether there are no facts.
    package var isEmpty: Bool { names.isEmpty }

    /// The value of a fact, or nil if there is no fact of that name.
    package subscript(name: FactName) -> JSON? {
        names.firstIndex(of: name).map { values[$0] }
    }
}

extension Facts: Equatable {
    /// Compares the values as JSON, in which 1 equals 1.0.
    package static func == (a: Facts, b: Facts) -> Bool {
        a.text == b.text || (a.names == b.names && a.values == b.values)
    }
}
