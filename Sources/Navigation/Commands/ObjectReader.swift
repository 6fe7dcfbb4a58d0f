public import Bytes
public import JSON

/// Reads the members of a JSON object by name and collects their faults.
///
/// Read every member that the object may have, call `refuseUnknown`, then check `faults`.
/// A member of a kind is nil if it is missing or invalid; an invalid one is a fault.
public struct ObjectReader {
    /// The JSON pointer to the object.
    public let pointer: String
    /// The budget for suggestions of names.
    let work: WorkBudget
    private var found = Faults()
    /// The members as values, unless they are in `compact`.
    private let object: JSONObject
    /// The members as text whose values are parsed when they are requested.
    private let compact: CompactObject?
    /// The members of `compact` that were requested, one bit each.
    private var taken = 0
    /// The bits of all members of `compact`. Once all of them are taken, nothing is left to be
    /// found. -1, which is never reached, without `compact`.
    private let all: Int
    /// Whether something is wrong with a member of `compact`.
    private var isWrong = false
    private var asked: [String] = []
    /// Whether members that begin with `x-` are allowed.
    private var allowsExtensions = false

    public init(_ object: JSONObject, at pointer: String, work: WorkBudget) {
        self.object = object
        compact = nil
        all = -1
        self.pointer = pointer
        self.work = work
        asked.reserveCapacity(8)
    }

    /// A reader of members that are probably right: it tells only whether they are (`isRight`). If
    /// they are not, a reader of the values finds out what is wrong.
    ///
    /// - Parameter compact: an object whose members are known.
    init(_ compact: CompactObject, work: WorkBudget) {
        object = JSONObject()
        self.compact = compact
        all = 1 << compact.count - 1
        pointer = ""
        self.work = work
    }

    /// Whether a reader of a compact object has found no fault, and has read all members.
    var isRight: Bool { !isWrong && taken == all }

    /// The faults found so far.
    public var faults: [InputFault] { found.all }

    /// The member as JSON, if it is there.
    public mutating func value(_ name: String) -> JSON? {
        if taken == all { return nil }
        if let compact { return take(name, of: compact).map { compact.value($0) } }
        asked.append(name)
        return object[name]
    }

    /// The index of a member of a compact object.
    private mutating func take(_ name: String, of compact: CompactObject) -> Int? {
        guard let index = compact.index(of: name) else { return nil }
        taken |= 1 << index
        return index
    }

    /// An object whose text is kept.
    mutating func params(_ name: String) -> Params? {
        guard let compact else { return object(name).map(Params.init) }
        guard taken != all, let index = take(name, of: compact) else { return nil }
        guard compact.isObject(index) else {
            isWrong = true
            return nil
        }
        return Params(trusted: compact.text(index))
    }

    /// The member as JSON; a fault if it is missing.
    public mutating func required(_ name: String) -> JSON? {
        let value = value(name)
        if value == nil { refuse(name, "is required") }
        return value
    }

    /// Adds a fault about a member.
    ///
    /// - Parameter isLimit: whether only a limit is exceeded.
    public mutating func refuse(
        _ name: String, _ detail: @autoclosure () -> String, isLimit: Bool = false
    ) {
        if compact != nil { return isWrong = true }
        refuse(at: "/" + JSONPointer.escaped(name), detail(), isLimit: isLimit)
    }

    /// Adds a fault at a pointer below this object.
    public mutating func refuse(at deeper: String, _ detail: String, isLimit: Bool = false) {
        isWrong = true
        found.append(InputFault(pointer: pointer + deeper, detail: detail, isLimit: isLimit))
    }

    /// Adds the faults of the reader of an object within this one.
    public mutating func adopt(_ other: ObjectReader) { adopt(other.faults) }

    /// Adds faults with pointers from the root of the body.
    mutating func adopt(_ faults: [InputFault]) {
        isWrong = isWrong || !faults.isEmpty
        found.append(faults)
    }

    /// Adds a fault for each member that was not asked for.
    public mutating func refuseUnknown() {
        guard compact == nil else { return }
        for name in object.members.map({ $0.key }) where !isAsked(name) {
            guard !found.isFull else { return }
            let hint = hint(for: name)
            refuse(name.clipped, "is unknown\(hint)")
        }
    }

    /// The known member that is probably meant. Otherwise, what is unknown beside a route probably
    /// belongs to its params; every name of two letters is similar to `in`.
    private func hint(for name: String) -> String {
        let takesParams = isAsked("params") && isAsked("route")
        if takesParams, name.utf8.count < 3 { return ": put it into params" }
        let hint = Spelling.proposal(for: name, among: asked, work: work)
        return hint.isEmpty && takesParams ? ": put it into params" : hint
    }

    private func isAsked(_ name: String) -> Bool {
        asked.contains { $0 == name } || (allowsExtensions && name.hasPrefix("x-"))
    }

    /// Allows a `description` and members that begin with `x-`, which are only kept.
    public mutating func allowNotes() {
        _ = text("description")
        allowsExtensions = true
    }
}

// MARK: - Members of a kind

extension ObjectReader {
    /// A string of that many bytes of UTF-8.
    public mutating func text(_ name: String, bytes: ClosedRange<Int> = 0...Int.max) -> String? {
        guard let value = value(name) else { return nil }
        return text(value, name, bytes: bytes)
    }

    /// The same for text that is compared byte by byte.
    public mutating func exactText(_ name: String, bytes: ClosedRange<Int>) -> ExactString? {
        text(name, bytes: bytes).map { ExactString($0) }
    }

    /// A required string.
    public mutating func requiredText(
        _ name: String, bytes: ClosedRange<Int> = 0...Int.max
    ) -> String? {
        guard let value = required(name) else { return nil }
        return text(value, name, bytes: bytes)
    }

    private mutating func text(
        _ value: JSON, _ name: String, bytes: ClosedRange<Int>
    ) -> String? {
        guard case .string(let text) = value else {
            refuse(name, "must be a string")
            return nil
        }
        guard bytes.contains(text.utf8.count) else {
            refuse(
                name, "must be \(bytes.lowerBound) to \(bytes.upperBound) bytes long",
                isLimit: text.utf8.count > bytes.upperBound)
            return nil
        }
        return text
    }

    /// A name of that kind.
    public mutating func name<N: Name>(_ name: String, as: N.Type = N.self) -> N? {
        guard let text = text(name) else { return nil }
        return self.name(text, name)
    }

    /// A required name.
    public mutating func requiredName<N: Name>(_ name: String, as: N.Type = N.self) -> N? {
        guard let text = requiredText(name) else { return nil }
        return self.name(text, name)
    }

    private mutating func name<N: Name>(_ text: String, _ member: String) -> N? {
        if let name = N(text) { return name }
        refuse(member, nameRule(N.self))
        return nil
    }

    /// An integer in a range, also if it is written as `3.0`.
    public mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.wholeNumber, range.contains(number) else {
            refuse(name, integerRule(range))
            return nil
        }
        return number
    }

    /// A boolean, or the default if it is missing or invalid.
    public mutating func flag(_ name: String, default fallback: Bool) -> Bool {
        flag(name) ?? fallback
    }

    /// A boolean.
    public mutating func flag(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        if case .bool(let flag) = value { return flag }
        refuse(name, "must be true or false")
        return nil
    }

    /// A case of an enumeration, by its raw value.
    ///
    /// - Parameter unnamed: cases that an error message does not offer.
    public mutating func choice<E: RawRepresentable & CaseIterable & Equatable>(
        _ name: String, of: E.Type = E.self, unnamed: [E] = []
    ) -> E? where E.RawValue == String {
        guard let text = text(name) else { return nil }
        if let choice = E(named: text) { return choice }
        guard compact == nil else {
            refuse(name, "")
            return nil
        }
        let all = E.allCases.filter { !unnamed.contains($0) }.map { $0.rawValue }
        let hint = Spelling.proposal(for: text, among: all, work: work)
        refuse(name, "must be one of \(all.joined(separator: ", "))\(hint)")
        return nil
    }

    /// An object.
    public mutating func object(_ name: String) -> JSONObject? {
        guard let value = value(name) else { return nil }
        return object(value, name)
    }

    /// A required object.
    public mutating func requiredObject(_ name: String) -> JSONObject? {
        guard let value = required(name) else { return nil }
        return object(value, name)
    }

    private mutating func object(_ value: JSON, _ name: String) -> JSONObject? {
        if case .object(let object) = value { return object }
        refuse(name, "must be an object")
        return nil
    }

    /// An array.
    public mutating func array(_ name: String) -> [JSON]? {
        guard let value = value(name) else { return nil }
        if case .array(let array) = value { return array }
        refuse(name, "must be an array")
        return nil
    }

    /// A required array.
    public mutating func requiredArray(_ name: String) -> [JSON]? {
        guard contains(name) else {
            _ = required(name)
            return nil
        }
        return array(name)
    }

    private func contains(_ name: String) -> Bool {
        compact.map { $0.index(of: name) != nil } ?? object.contains(name)
    }

    /// Reads the objects of the array `name`, each by a reader of its own, whose faults become
    /// faults of this one.
    mutating func objects<Element>(
        _ name: String, of items: [JSON], _ read: (inout ObjectReader) -> Element?
    ) -> [Element] {
        var elements: [Element] = []
        for (index, item) in items.enumerated() {
            guard case .object(let object) = item else {
                refuse(at: "/\(name)/\(index)", "must be an object")
                continue
            }
            var inner = ObjectReader(object, at: "\(pointer)/\(name)/\(index)", work: work)
            if let element = read(&inner) { elements.append(element) }
            adopt(inner)
        }
        return elements
    }
}

extension JSON {
    /// Whether the value is a string of more bytes than this.
    func isText(longerThan bytesMax: Int) -> Bool {
        if case .string(let text) = self { text.utf8.count > bytesMax } else { false }
    }

    /// The value as an integer, also if it is written as `3.0`. Nil if it is not an integer.
    public var wholeNumber: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .double(let number): Self.wholeNumber(number)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// Does the same as `Int(exactly:)`, which would need the C mathematics library at link time.
    private static func wholeNumber(_ number: Double) -> Int? {
        guard number >= -0x1p63, number < 0x1p63 else { return nil }
        let whole = Int(number)
        return Double(whole) == number ? whole : nil
    }
}

/// The rule for an integer in a range, for error messages.
public func integerRule(_ range: ClosedRange<Int>) -> String {
    range.upperBound == Int.max
        ? "must be an integer of at least \(range.lowerBound)"
        : "must be an integer from \(range.lowerBound) to \(range.upperBound)"
}

/// The rule for a name of a kind, for error messages.
public func nameRule<N: Name>(_ kind: N.Type) -> String {
    let rule =
        "must be 1 to \(N.charactersMax) letters, digits or . _ ~ - "
        + "and begin with a letter or digit"
    return N.self == TabID.self
        ? rule + "; active, visible and e followed by digits are reserved" : rule
}

extension ObjectReader {
    /// A time as it is written on the wire.
    mutating func time(_ name: String) -> Milliseconds? {
        guard let text = text(name) else { return nil }
        let bytes = Array(text.utf8)
        if let time = Timestamp.read(bytes, bytes.indices) { return time }
        refuse(name, "must be a time in UTC such as 2026-11-25T10:00:15Z")
        return nil
    }
}
