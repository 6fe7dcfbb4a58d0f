public import JSON

/// The params of a screen: a JSON object, kept as compact text.
///
/// Most of a session's bytes are params that no rule examines. They stay text on their way from the
/// log to the response, and are parsed only where a rule needs them.
public struct Params: Sendable {
    /// A JSON object without white space, written by this program.
    public let text: ArraySlice<UInt8>

    /// No params: `{}`.
    public static let empty = Params(trusted: Array("{}".utf8)[...])

    /// Takes the text of an object that was checked under the limits for stored text.
    public init(trusted text: ArraySlice<UInt8>) { self.text = text }

    public init(_ object: JSONObject) {
        text = object.isEmpty ? Self.empty.text : JSON.object(object).bytes[...]
    }

    /// Whether there are no params.
    public var isEmpty: Bool { text.count == 2 }

    /// The params, parsed.
    public var object: JSONObject {
        guard !isEmpty, case .object(let object) = json else { return JSONObject() }
        return object
    }

    private var json: JSON {
        do {
            return try JSON(parsing: Array(text), limits: .stored)
        } catch {
            preconditionFailure("params are made of values, or were checked when read: \(error)")
        }
    }
}

extension JSONLimits {
    /// The limits for text from the store. It was checked when it was received, so these limits
    /// admit everything that any configuration admits, nested a few levels deeper in a session or
    /// an event.
    public static let stored = JSONLimits(
        nestingMax: 2 * Limits.nestingRange.upperBound, valuesMax: .max, refusesRepeats: false)
}

extension Params {
    /// Whether both are equal as JSON. Texts that differ are parsed.
    ///
    /// - Parameter parsed: these params, if the caller has parsed them already.
    /// - Throws: if the budget does not suffice for parsing.
    public func isSame(
        as other: Params, parsed: JSONObject? = nil, work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        if text == other.text { return true }
        guard !isEmpty, !other.isEmpty else { return false }
        try work.spend(.parsing(bytes: other.text.count + (parsed == nil ? text.count : 0)))
        return (parsed ?? object) == other.object
    }
}

extension Params: Equatable {
    /// Compares as JSON: the order of members does not matter, and 1 equals 1.0.
    public static func == (a: Params, b: Params) -> Bool {
        a.text == b.text || (a.text.count > 2 && b.text.count > 2 && a.json == b.json)
    }
}
