internal import Bytes

extension JSON {
    /// The value with a merge patch applied (RFC 7396): members of the patch replace those of the
    /// same name, null removes them, objects are merged, anything else is replaced as a whole.
    ///
    /// Members keep their order, and new ones are added at the end. The time is proportional to the
    /// sizes of both values. The recursion is as deep as the patch, whose nesting the reader
    /// limits.
    public func merging(_ patch: JSON) -> JSON {
        guard case .object(let changes) = patch else { return patch }
        guard case .object(let object) = self else {
            return .object(JSONObject().merging(changes))
        }
        return .object(object.merging(changes))
    }
}

extension JSONObject {
    /// The object with a merge patch applied, as by `JSON.merging`.
    public func merging(_ patch: JSONObject) -> JSONObject {
        var slots: [Member?] = members.map { $0 }
        var indices: [ExactString: Int] = [:]
        for (index, member) in members.enumerated() {
            indices[ExactString(member.key)] = index
        }
        for change in patch.members {
            let index = indices[ExactString(change.key)]
            if change.value == .null {
                if let index { slots[index] = nil }
                continue
            }
            let old = index.flatMap { slots[$0]?.value } ?? .null
            let merged = Member(key: change.key, value: old.merging(change.value))
            if let index { slots[index] = merged } else { slots.append(merged) }
        }
        return JSONObject(unchecked: slots.compactMap { $0 })
    }
}
