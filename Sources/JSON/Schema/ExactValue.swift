/// A value as a member of a set: equal as JSON is, so 1 and 1.0 are one and order in objects does
/// not count.
struct ExactValue: Hashable {
    let value: JSON

    static func == (left: ExactValue, right: ExactValue) -> Bool {
        left.value == right.value
    }

    func hash(into hasher: inout Hasher) {
        switch value {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .integer(let number): hasher.combine(number)
        case .double(let number): hash(number, into: &hasher)
        case .string(let text): hasher.combine(ExactString(text))
        case .array(let elements):
            hasher.combine(elements.count)
            for element in elements { hasher.combine(ExactValue(value: element)) }
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

    /// Members count in any order, so their hashes are added.
    private func hash(_ object: JSONObject, into hasher: inout Hasher) {
        var sum = object.count
        for member in object.members {
            var own = Hasher()
            own.combine(ExactString(member.key))
            own.combine(ExactValue(value: member.value))
            sum &+= own.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSON {
    /// What looking at the whole value costs, in a validator's steps.
    var weight: Int {
        switch self {
        case .null, .bool, .integer, .double: 1
        case .string(let text): 1 + text.utf8.count / 16
        case .array(let elements): elements.reduce(1) { $0 + $1.weight }
        case .object(let object): object.members.reduce(1) { $0 + $1.keyWeight + $1.value.weight }
        }
    }
}

extension JSONObject.Member {
    /// What looking the name up costs, in a validator's steps.
    var keyWeight: Int { 1 + key.utf8.count / 16 }
}
