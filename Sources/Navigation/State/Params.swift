package import JSON

/// What a screen was opened with: a JSON object, kept as its compact text.
///
/// Most of a session is params that nobody looks into, so they stay text from the journal to the
/// answer, and are parsed where a rule asks.
package struct Params: Sendable {
    /// A JSON object without blanks, written by this program.
    package let text: [UInt8]

    package static let empty = Params(trusted: Array("{}".utf8))

    /// Takes an object's text that has been checked under the limits for what is stored.
    package init(trusted text: [UInt8]) { self.text = text }

    package init(_ object: JSONObject) {
        text = object.isEmpty ? Self.empty.text : JSON.object(object).bytes
    }

    package var isEmpty: Bool { text.count == 2 }

    package var object: JSONObject {
        guard !isEmpty, case .object(let object) = json else { return JSONObject() }
        return object
    }

    private var json: JSON {
        do {
            return try JSON(parsing: text, limits: .stored)
        } catch {
            preconditionFailure("params are made of values, or were checked when read: \(error)")
        }
    }
}

extension JSONLimits {
    /// For text from the store. It was checked under the limits of the options when it came in, so
    /// these admit whatever any options admit, a few levels deeper in a session or in an event.
    package static let stored = JSONLimits(
        nestingMax: 2 * Limits.nestingRange.upperBound, valuesMax: .max, refusesRepeats: false)
}

extension Params {
    /// Whether the two are equal, as JSON compares. Texts that differ are parsed.
    ///
    /// - Parameter parsed: this object, if the caller has it.
    package func isSame(
        as other: Params, parsed: JSONObject? = nil, work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        if text == other.text { return true }
        guard !isEmpty, !other.isEmpty else { return false }
        try work.spend(.parsing(bytes: other.text.count + (parsed == nil ? text.count : 0)))
        return (parsed ?? object) == other.object
    }
}

extension Params: Equatable {
    /// As JSON compares: members in any order, 1 equal to 1.0.
    package static func == (a: Params, b: Params) -> Bool {
        a.text == b.text || (a.text.count > 2 && b.text.count > 2 && a.json == b.json)
    }
}
