public import JSON

/// The guards of a route, a tab or a link, in the order in which they are asked.
public struct GuardList: Sendable {
    /// The name or the list of names, as the app declares it.
    public let declared: JSON
    /// The guards; never empty.
    public let guards: [Guard]

    /// The number of guards that one list can have.
    static let countMax = 8

    /// Whether all of the guards hold.
    public func holds(_ facts: Facts) -> Bool { firstFailing(facts) == nil }

    /// The first guard that fails.
    func firstFailing(_ facts: Facts) -> Guard? { guards.first { !$0.holds(facts) } }

    /// The first guard that is among those that fail.
    func first(of failing: GuardSet) -> Guard? {
        guards.first { failing & (1 << $0.index) != 0 }
    }
}

extension GuardList: Equatable {
    /// Compares the names: an app has one guard of each name.
    public static func == (a: GuardList, b: GuardList) -> Bool { a.declared == b.declared }
}

/// The guards that a route, a tab or a link names.
struct GuardNames: Sendable {
    /// The name or the list of names, as the app declares it.
    let declared: JSON
    /// The names, which are different.
    let names: [GuardName]

    /// The pointer to one of the names.
    ///
    /// - Parameter pointer: the pointer to all of them.
    func pointer(to index: Int, in pointer: String) -> String {
        if case .array = declared { "\(pointer)/\(index)" } else { pointer }
    }
}

extension ObjectReader {
    /// The member `guard`: a name, or a list of different names. Nil if it is missing or invalid.
    mutating func guardNames() -> GuardNames? {
        guard let value = value("guard") else { return nil }
        guard case .array(let items) = value else {
            guard case .string = value else {
                refuse("guard", "must be the name of a guard, or a list of names")
                return nil
            }
            let name: GuardName? = name("guard")
            return name.map { GuardNames(declared: value, names: [$0]) }
        }
        guard (1...GuardList.countMax).contains(items.count) else {
            refuse(
                "guard", "must have 1 to \(GuardList.countMax) names", isLimit: !items.isEmpty)
            return nil
        }
        var names: [GuardName] = []
        for (index, item) in items.enumerated() {
            let place = "/guard/\(index)"
            guard case .string(let text) = item, let name = GuardName(text) else {
                refuse(at: place, nameRule(GuardName.self))
                continue
            }
            if names.contains(name) { refuse(at: place, "repeats the guard \(name)") }
            names.append(name)
        }
        return GuardNames(declared: value, names: names)
    }
}
