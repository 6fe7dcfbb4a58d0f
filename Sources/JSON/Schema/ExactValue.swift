internal import Bytes

/// A hashable value, equal as JSON values are: 1 equals 1.0, and the order in objects is ignored.
public struct ExactValue: Hashable {
    private let value: JSON

    public init(_ value: JSON) { self.value = value }

    public static func == (left: ExactValue, right: ExactValue) -> Bool {
        left.value == right.value
    }

    public func hash(into hasher: inout Hasher) {
        switch value {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .integer(let number): hasher.combine(number)
        case .double(let number): hash(number, into: &hasher)
        case .string(let text): hasher.combine(ExactString(text))
        case .array(let elements):
            hasher.combine(elements.count)
            for element in elements { hasher.combine(ExactValue(element)) }
        case .object(let object): hash(object, into: &hasher)
        }
    }

    private func hash(_ number: Double, into hasher: inout Hasher) {
        if let whole = JSON.wholeNumber(number) {
            hasher.combine(whole)
        } else {
            hasher.combine(number)
        }
    }

    /// The order of members is ignored, so their hashes are added.
    private func hash(_ object: JSONObject, into hasher: inout Hasher) {
        var sum = object.count
        for member in object.members {
            var own = Hasher()
            own.combine(ExactString(member.key))
            own.combine(ExactValue(member.value))
            sum &+= own.finalize()
        }
        hasher.combine(sum)
    }
}
