internal import Bytes
public import JSON

extension App {
    /// The definitions that these documents refer to with `$ref`, directly or through other
    /// definitions, in the order of their declaration.
    ///
    /// A reference to a definition of the route itself is counted too if the app has one of the
    /// same name; the response is then a little longer than needed.
    public func definitions(usedIn documents: [JSON?]) -> JSONObject {
        guard !definitions.isEmpty else { return JSONObject() }
        var known: [ExactString: JSON] = [:]
        for member in definitions.members { known[ExactString(member.key)] = member.value }
        var used: Set<ExactString> = []
        var open = documents.compactMap { $0 }
        while let document = open.popLast() {
            var names: [ExactString] = []
            document.collectReferences(into: &names)
            for name in names where used.insert(name).inserted {
                if let definition = known[name] { open.append(definition) }
            }
        }
        return JSONObject(
            definitions.members.filter { used.contains(ExactString($0.key)) }
                .map { ($0.key, $0.value) })
    }
}

extension JSON {
    /// The names in all `$ref` of the form `#/$defs/NAME`. Documents are nested as deeply as a body
    /// may be, so the recursion is bounded.
    func collectReferences(into names: inout [ExactString]) {
        switch self {
        case .object(let object):
            for member in object.members {
                if member.key == "$ref", case .string(let text) = member.value,
                    let target = JSONPointer(fragment: text), target.steps.count == 2
                {
                    names.append(ExactString(target.steps[1]))
                }
                member.value.collectReferences(into: &names)
            }
        case .array(let items): for item in items { item.collectReferences(into: &names) }
        case .null, .bool, .integer, .double, .string: break
        }
    }
}
