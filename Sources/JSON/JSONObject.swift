internal import Bytes

/// A JSON object: members with unique names, in the order of the text.
///
/// A name is looked up by linear search, which is fastest for the few members that most objects
/// have. Code that looks up many names in an object of unknown size uses `JSONObjectIndex`.
public struct JSONObject: Sendable {
    /// A name and its value.
    public struct Member: Sendable, Equatable {
        /// The name.
        public var key: String
        /// The value.
        public var value: JSON

        public init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }

        public static func == (left: Member, right: Member) -> Bool {
            left.key == right.key && left.value == right.value
        }
    }

    /// The members in order.
    public private(set) var members: [Member] = []

    /// An empty object.
    public init() {}

    /// An object with these members. If a name is repeated, its last value is kept in the position
    /// of the first one.
    public init(_ members: [(String, JSON)]) {
        var indices: [ExactString: Int] = [:]
        for (key, value) in members {
            let name = ExactString(key)
            if let index = indices[name] {
                self.members[index].value = value
            } else {
                indices[name] = self.members.count
                append(key, value)
            }
        }
    }

    /// An object with these members, whose names are known to be unique.
    init(unchecked members: [Member]) {
        self.members = members
    }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }
    /// The number of members.
    public var count: Int { members.count }

    /// The value of a name. Setting a value replaces it in its position or appends it; setting nil
    /// removes the member.
    public subscript(key: String) -> JSON? {
        get {
            index(of: key).map { members[$0].value }
        }
        set {
            switch (index(of: key), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Whether there is a member with this name.
    public func contains(_ key: String) -> Bool {
        index(of: key) != nil
    }

    /// Appends a member without checking that its name is new.
    public mutating func append(_ key: String, _ value: JSON) {
        members.append(Member(key: key, value: value))
    }

    private func index(of key: String) -> Int? {
        members.indices.first { members[$0].key == key }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object with these members, of which those with a nil value are left out. The names must
    /// be unique.
    public init(dictionaryLiteral members: (String, JSON?)...) {
        for case (let key, let value?) in members { append(key, value) }
    }

    /// The object as text.
    public var bytes: [UInt8] { JSON.object(self).bytes }
}

extension JSONObject: Equatable {
    /// Whether both have the same names with equal values, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        let index = JSONObjectIndex(right)
        return left.members.allSatisfy { index[$0.key] == $0.value }
    }
}

/// Looks up names in an object in constant time.
struct JSONObjectIndex {
    /// Up to this number of members linear search is faster than hashing.
    static let searchedMax = 16

    private let object: JSONObject
    private var indices: [ExactString: Int] = [:]

    init(_ object: JSONObject) {
        self.object = object
        guard object.count > Self.searchedMax else { return }
        indices.reserveCapacity(object.count)
        for (index, member) in object.members.enumerated() {
            indices[ExactString(member.key)] = index
        }
    }

    subscript(key: String) -> JSON? {
        guard object.count > Self.searchedMax else { return object[key] }
        return indices[ExactString(key)].map { object.members[$0].value }
    }
}
