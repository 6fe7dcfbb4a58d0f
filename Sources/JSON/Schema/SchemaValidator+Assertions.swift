// The checks of the assertions. An assertion about another type of value is satisfied.

internal import Bytes

extension SchemaValidator {
    mutating func checkEnumeration(_ value: JSON, _ choice: SchemaChoice) {
        guard spend(choice.values.count * value.weight), !choice.values.contains(value) else {
            return
        }
        report("must be \(choice.sentence)")
    }

    mutating func checkNumber(_ value: JSON, _ assertion: SchemaAssertion) {
        guard let number = JSONNumber(value) else { return }
        switch assertion {
        case .lower(let bound, let isExclusive):
            guard number < bound || (isExclusive && number == bound) else { return }
            report("must be \(isExclusive ? "greater than" : "at least") \(bound.text)")
        case .upper(let bound, let isExclusive):
            guard bound < number || (isExclusive && number == bound) else { return }
            report("must be \(isExclusive ? "less than" : "at most") \(bound.text)")
        case .multiple(let divisor):
            guard !number.isMultiple(of: divisor) else { return }
            report("must be a multiple of \(divisor.text)")
        case .nothing, .types, .enumeration, .lengths, .pattern, .elements,
            .elementCount, .uniqueElements, .contains, .members, .memberCount, .required,
            .dependents, .memberNames, .all, .any, .one, .not, .condition, .reference:
            break
        }
    }

    mutating func checkLength(_ value: JSON, least: Int?, most: Int?) {
        guard case .string(let text) = value, spend(value.weight) else { return }
        checkCount(text.unicodeScalars.count, least: least, most: most, of: "character")
    }

    mutating func checkCount(_ count: Int, least: Int?, most: Int?, of thing: String) {
        let counted = { (number: Int) in "\(number) \(thing)\(number == 1 ? "" : "s")" }
        if let least, count < least { report("must have at least \(counted(least))") }
        if let most, count > most { report("must have at most \(counted(most))") }
    }

    mutating func checkPattern(_ value: JSON, _ pattern: Pattern) {
        guard case .string(let text) = value, matches(text, pattern) == false else { return }
        report("must match the pattern \(pattern.source)")
    }
}

// MARK: - Arrays

extension SchemaValidator {
    mutating func checkElements(_ value: JSON, _ elements: SchemaElements) {
        guard case .array(let values) = value else { return }
        for (index, value) in values.enumerated() {
            guard spend(1), canContinue, let node = elements.node(at: index) else { return }
            check(value, node, at: String(index))
        }
    }

    mutating func checkUnique(_ value: JSON) {
        guard case .array(let values) = value, values.count > 1, spend(10 * value.weight) else {
            return
        }
        var first: [ExactValue: Int] = [:]
        first.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            let exact = ExactValue(value)
            if let same = first[exact] {
                report("must be different from element \(same)", at: String(index))
            } else {
                first[exact] = index
            }
        }
    }
}

// MARK: - Objects

extension SchemaValidator {
    mutating func checkMembers(_ value: JSON, _ members: SchemaMembers) {
        guard case .object(let object) = value else { return }
        for (index, member) in object.members.enumerated() {
            guard spend(member.keyWeight + members.patterns.count), canContinue else { return }
            if checkMember(member, members) { noteEvaluated(index) }
        }
    }

    /// Returns whether there is a schema for the member.
    private mutating func checkMember(
        _ member: JSONObject.Member, _ members: SchemaMembers
    ) -> Bool {
        let own = members.nodes[ExactString(member.key)]
        var isKnown = own != nil
        if let own { check(member.value, own, at: member.key) }
        for (pattern, node) in members.patterns {
            guard let isMatch = matches(member.key, pattern) else { return false }
            guard isMatch else { continue }
            isKnown = true
            check(member.value, node, at: member.key)
        }
        guard !isKnown, let rest = members.rest else { return isKnown }
        guard isNothing(rest) else {
            check(member.value, rest, at: member.key)
            return true
        }
        let work = work
        let hint = { Spelling.hint(for: member.key, among: members.names, work: work) }
        report("is not allowed here\(hint())", at: member.key)
        return true
    }

    mutating func checkRequired(_ value: JSON, _ names: [String]) {
        guard case .object(let object) = value else { return }
        let work = object.members.reduce(names.count) { $0 + $1.keyWeight }
        guard spend(work) else { return }
        let index = JSONObjectIndex(object)
        for name in names where index[name] == nil {
            report("is required", at: name)
        }
    }

    mutating func checkNames(_ value: JSON, _ node: Int) {
        guard case .object(let object) = value else { return }
        for member in object.members {
            guard spend(1), canContinue else { return }
            check(name: member.key, node)
        }
    }
}

// MARK: - Alternatives

extension SchemaValidator {
    mutating func checkAny(_ value: JSON, _ alternatives: [Int]) {
        var isFitting = false
        for alternative in alternatives where isValid(value, alternative) {
            isFitting = true
            // Each alternative that fits evaluates members.
            if !collectsMembers { return }
        }
        if !isFitting { reportNone(value, alternatives) }
    }

    mutating func checkOne(_ value: JSON, _ alternatives: [Int]) {
        var fitting = 0
        for alternative in alternatives where isValid(value, alternative) {
            fitting += 1
        }
        if fitting == 0 { reportNone(value, alternatives) }
        if fitting > 1 {
            report("matches \(fitting) alternatives of \"oneOf\"; it must match exactly one")
        }
    }

    /// Reports the problems of the only alternative that fits the type of the value, or else what
    /// the alternatives require.
    private mutating func reportNone(_ value: JSON, _ alternatives: [Int]) {
        let candidates = candidates(alternatives, for: value)
        // No member is to be reported because none of them fits.
        noteAllEvaluated(of: value)
        if candidates.isEmpty {
            let types = types(of: alternatives).sentence
            report("must be \(types), not \(value.type.sentence)")
        } else if candidates.count == 1, !isQuiet {
            check(value, candidates[0])
        } else {
            report("must match one of the \(alternatives.count) alternatives of its schema")
        }
    }
}
