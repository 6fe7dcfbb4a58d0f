internal import Bytes
internal import JSON

// Params that a link can fill, in the `links` of an app's document.

extension AppReader {
    /// Checks that the pattern captures what the template uses, that the params can have these
    /// values, and that no required param stays unset.
    mutating func checked(
        _ screen: ScreenTemplate, for names: CaptureNames, at pointer: String
    ) throws(WorkBudgetError) -> ScreenTemplate? {
        let captures = Template.captures(in: .object(screen.params))
        for name in captures where !names.contains(name) {
            refuse(pointer + "/params", "uses {\(name)}, which nothing captures")
        }
        guard let route = routes[screen.route] else { return nil }
        if let schema = route.schema {
            guard checks == .all else { return screen }
            let params = try route.schema.filled(screen.params, work: work)
            let faultsBefore = errors.all.count
            try refuseUnset(
                params, schema: schema, for: names, at: pointer + "/params",
                defaults: try route.schema.filled(JSONObject(), work: work))
            try refuseTextless(
                .object(screen.params), schema: schema, for: names, at: pointer + "/params")
            if captures.isEmpty, errors.all.count == faultsBefore,
                try !route.schema.takes(params, work: work)
            {
                let detail = "does not fit the route, so the link is never taken"
                warn(.unfitLink, at: pointer + "/params", detail)
            }
        } else if route.paramsDocument == nil {
            errors.append(
                try route.schema.faults(in: screen.params, at: pointer + "/params", work: work))
        }
        return screen
    }

    /// - Parameter defaults: what fills in the members that stay unset.
    private mutating func refuseUnset(
        _ template: JSONObject, schema: JSONSchema, for names: CaptureNames, at pointer: String,
        defaults: JSONObject = JSONObject()
    ) throws(WorkBudgetError) {
        for name in try schema.requiredNames(work: work) {
            try work.spend(.steps(template.count + defaults.count))
            guard defaults[name] == nil, let reason = unset(template[name], names) else { continue }
            refuse(
                pointer + "/" + JSONPointer.escaped(name),
                "is required by the route, but \(reason)")
        }
        for member in template.members {
            guard case .object(let inner) = member.value,
                let deeper = try schema.property(member.key, work: work)
            else { continue }
            let memberPointer = pointer + "/" + JSONPointer.escaped(member.key)
            try refuseUnset(inner, schema: deeper, for: names, at: memberPointer)
        }
    }

    /// Why a required member can stay unset, or nil if it cannot. A query value that it needs has
    /// to be there for the link to match, unless it is optional.
    private func unset(_ value: JSON?, _ names: CaptureNames) -> String? {
        guard let value else { return "the link does not set it" }
        guard case .string = value else { return nil }
        let captures = Template.captures(in: value)
        if let name = captures.first(where: { names.optional.contains(ExactString($0)) }) {
            return "{\(name)?} may be absent"
        }
        return captures.allSatisfy(names.contains) ? nil : "the link does not set it"
    }

    /// Refuses captures into params that no text can become.
    private mutating func refuseTextless(
        _ template: JSON, schema: JSONSchema?, for names: CaptureNames, at pointer: String
    ) throws(WorkBudgetError) {
        guard let schema else { return }
        switch template {
        case .string(let text):
            let detail = try textless(Template.pieces(text), schema, for: names)
            if let detail { refuse(pointer, detail) }
        case .object(let object):
            for member in object.members {
                try refuseTextless(
                    member.value, schema: try schema.property(member.key, work: work), for: names,
                    at: pointer + "/" + JSONPointer.escaped(member.key))
            }
        case .array(let items):
            for (index, item) in items.enumerated() {
                try refuseTextless(
                    item, schema: try schema.element(at: index, work: work), for: names,
                    at: "\(pointer)/\(index)")
            }
        case .null, .bool, .integer, .double: return
        }
    }

    /// Why the param can have no value that the pieces give, or nil if it can.
    private func textless(
        _ pieces: [Template.Piece], _ schema: JSONSchema, for names: CaptureNames
    ) throws(WorkBudgetError) -> String? {
        let hasCapture = pieces.contains { if case .capture = $0 { true } else { false } }
        guard hasCapture else { return nil }
        guard pieces.count == 1, case .capture(let name)? = pieces.first else {
            return schema.accepts(.string) ? nil : "takes no text, but the link gives one"
        }
        var types = schema.acceptedTypes
        // A query gives a list of values where only lists are taken.
        if types == .array, names.possible.contains(ExactString(name)) {
            guard let items = try schema.element(at: 0, work: work) else { return nil }
            types = items.acceptedTypes
        }
        guard types.isDisjoint(with: JSONSchema.textualTypes) else { return nil }
        guard !types.isEmpty else { return "takes no value" }
        return "takes no text: \(types.sentence) cannot be captured"
    }
}
