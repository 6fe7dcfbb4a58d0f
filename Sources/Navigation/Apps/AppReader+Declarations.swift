internal import JSON

// Members that declare something by name: routes, groups, facts, guards and templates.

extension AppReader {
    /// The name of a member of an object such as `routes`, and the pointer to the member. Nil if
    /// the name is invalid, which is an error.
    mutating func declaredName<N: Name>(
        _ key: String, in list: String
    ) -> (name: N, pointer: String)? {
        let pointer = "/\(list)/" + JSONPointer.escaped(key)
        guard let name = N(key) else {
            refuse(pointer, "has an invalid name: it " + nameRule(N.self))
            return nil
        }
        return (name, pointer)
    }

    /// The same with the value of the member, or nil in its place if it is not an object, which is
    /// an error. The name counts as declared nevertheless, so that one mistake is one error.
    ///
    /// - Parameter form: what the value must be, for the error.
    mutating func declaration<N: Name>(
        _ member: JSONObject.Member, in list: String, form: String
    ) -> (name: N, body: JSONObject?, pointer: String)? {
        guard let (name, pointer): (N, String) = declaredName(member.key, in: list)
        else { return nil }
        guard case .object(let body) = member.value else {
            refuse(pointer, "must be \(form)")
            return (name, nil, pointer)
        }
        return (name, body, pointer)
    }
}
