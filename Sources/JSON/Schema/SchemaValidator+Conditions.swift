internal import Bytes

// The checks of assertions that depend on other parts of the same value.

extension SchemaValidator {
    /// The test of a condition is also asked if only the members that it evaluates matter.
    mutating func checkCondition(_ value: JSON, _ condition: SchemaCondition) {
        guard !condition.branches.isEmpty || collectsMembers else { return }
        let branch = isValid(value, condition.test) ? condition.then : condition.otherwise
        guard let branch, canContinue else { return }
        check(value, branch)
    }

    mutating func checkDependents(
        _ value: JSON, _ dependents: [(name: String, required: [String])]
    ) {
        guard case .object(let object) = value,
            spend(object.members.reduce(dependents.count) { $0 + $1.keyWeight })
        else { return }
        let index = JSONObjectIndex(object)
        for (name, required) in dependents where index[name] != nil {
            guard spend(required.count) else { return }
            for other in required where index[other] == nil {
                report("is required beside \(name.clipped)", at: other)
            }
        }
    }

    mutating func checkContents(_ value: JSON, _ contents: SchemaContents) {
        guard case .array(let elements) = value else { return }
        var found = 0
        for element in elements {
            guard spend(1), canContinue else { return }
            if aside({ $0.isValid(element, contents.node) }) { found += 1 }
            if let most = contents.most {
                if found > most { break }
            } else if found >= contents.least {
                return
            }
        }
        let counted = { (number: Int) in "\(number) element\(number == 1 ? "" : "s")" }
        if found < contents.least {
            report("must contain at least \(counted(contents.least)) of the kind in \"contains\"")
        }
        if let most = contents.most, found > most {
            report("must contain at most \(counted(most)) of the kind in \"contains\"")
        }
    }

    /// Checks the members that were not evaluated.
    mutating func checkUnevaluated(
        _ object: JSONObject, except evaluated: EvaluatedMembers?, _ node: Int
    ) {
        for (index, member) in object.members.enumerated() where evaluated?[index] != true {
            guard spend(1), canContinue else { return }
            if isNothing(node) {
                report("is not allowed here", at: member.key)
            } else {
                check(member.value, node, at: member.key)
            }
        }
    }
}
