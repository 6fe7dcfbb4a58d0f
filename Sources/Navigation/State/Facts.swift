public import JSON

/// The facts of a session: named JSON values in the order in which the app declares them.
///
/// The JSON text of all of them is kept, because every revision writes them and few change them.
/// They are behind one reference, so that a session without facts is copied as fast as if there
/// were none.
public struct Facts: Sendable {
    private final class Content: Sendable {
        let names: [FactName]
        let values: [JSON]
        let text: [UInt8]

        init(_ facts: [(name: FactName, value: JSON)]) {
            names = facts.map { $0.name }
            values = facts.map { $0.value }
            let members = facts.map { ($0.name.rawValue, $0.value) }
            text = JSON.object(JSONObject(members)).bytes
        }
    }

    /// Nil without facts.
    private let content: Content?

    /// No facts.
    public static var none: Facts { Facts([]) }

    public init(_ facts: [(name: FactName, value: JSON)]) {
        content = facts.isEmpty ? nil : Content(facts)
    }

    /// Whether there are no facts.
    public var isEmpty: Bool { content == nil }
    /// The names, in the order of the declaration.
    public var names: [FactName] { content?.names ?? [] }
    /// The values, by the index of their name; never null.
    public var values: [JSON] { content?.values ?? [] }
    /// The facts as a JSON object.
    public var text: [UInt8] { content?.text ?? Array("{}".utf8) }

    /// The value of a fact, or nil if there is no fact of that name.
    public subscript(name: FactName) -> JSON? {
        names.firstIndex(of: name).map { values[$0] }
    }
}

extension Facts: Equatable {
    /// Compares the values as JSON, in which 1 equals 1.0.
    public static func == (a: Facts, b: Facts) -> Bool {
        a.content === b.content || a.text == b.text || (a.names == b.names && a.values == b.values)
    }
}
