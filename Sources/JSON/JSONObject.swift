/// A JSON object: members with unique names, in the order of the text.
///
/// A name is looked up by linear search, which is fastest for the few members that most objects
/// have. Code that looks up many names in an object of unknown size uses `JSONObjectIndex`.
package struct JSONObject: Sendable {
    /// A name and its value.
    package struct Member: Sendable, Equatable {
        /// The name.
        package var key: String
        /// The value.
        package var value: JSON

        package init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }

        package static func == (left: Member, right: Member) -> Bool {
            JSONText.isSame(left.key, right.key) && left.value == right.value
        }
    }

    /// The members in order.
    package private(set) var members: [Member] = []

    /// An empty object.
    package init() {}

    /// An object with these members. If a name is repeated, its last value is kept in the position
    /// of the first one.
    package init(_ members: [(String, JSON)]) {
        var places: [ExactString: Int] = [:]
        for (key, value) in members {
            let name = ExactString(key)
            if let place = places[name] {
                self.members[place].value = value
            } else {
                places[name] = self.members.count
                append(key, value)
            }
        }
    }

    /// An object with these members, whose names are known to be unique.
    init(unchecked members: [Member]) {
        self.members = members
    }

    /// Whether there are no members.
    package var isEmpty: Bool { members.isEmpty }
    /// The number of members.
    package var count: Int { members.count }

    /// The value of a name. Setting a value replaces it in its position or appends it; setting nil
    /// removes the member.
    package subscript(key: String) -> JSON? {
        get {
            place(of: key).map { members[$0].value }
        }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Whether there is a member with this name.
    package func contains(_ key: String) -> Bool {
        place(of: key) != nil
    }

    /// Appends a member without checking that its name is new.
    package mutating func append(_ key: String, _ value: JSON) {
        members.append(Member(key: key, value: value))
    }

    private func place(of key: String) -> Int? {
        members.indices.first { JSONText.isSame(members[$0].key, key) }
    }
}

extension JSONObject: Equatable {
    /// Whether both have the same names with equal values, in any order.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
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
    private var places: [ExactString: Int] = [:]

    init(_ object: JSONObject) {
        self.object = object
        guard object.count > Self.searchedMax else { return }
        places.reserveCapacity(object.count)
        for (place, member) in object.members.enumerated() {
            places[ExactString(member.key)] = place
        }
    }

    subscript(key: String) -> JSON? {
        guard object.count > Self.searchedMax else { return object[key] }
        return places[ExactString(key)].map { object.members[$0].value }
    }
}
