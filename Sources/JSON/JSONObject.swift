/// A JSON object: members of different names, in the order in which they came.
///
/// Looking a name up walks the members, which is the fastest there is for the few that objects
/// mostly have. Code that looks up many names in an object of unknown size asks `JSONObjectIndex`.
package struct JSONObject: Sendable {
    /// A name with its value.
    package struct Member: Sendable, Equatable {
        package var key: String
        package var value: JSON

        package init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }

        package static func == (left: Member, right: Member) -> Bool {
            JSONText.isSame(left.key, right.key) && left.value == right.value
        }
    }

    package private(set) var members: [Member] = []

    package init() {}

    /// Takes members in order; of those with the same name the last value stays, at the
    /// first place.
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

    /// Takes members whose names are known to differ.
    init(unchecked members: [Member]) {
        self.members = members
    }

    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }

    /// The value of that name. Setting replaces it in its place or appends it; nil removes it.
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

    package func contains(_ key: String) -> Bool {
        place(of: key) != nil
    }

    /// Adds a member that the caller knows to be new, without looking.
    package mutating func append(_ key: String, _ value: JSON) {
        members.append(Member(key: key, value: value))
    }

    private func place(of key: String) -> Int? {
        members.indices.first { JSONText.isSame(members[$0].key, key) }
    }
}

extension JSONObject: Equatable {
    /// The same names with equal values, in any order.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        let index = JSONObjectIndex(right)
        return left.members.allSatisfy { index[$0.key] == $0.value }
    }
}

/// Looks names up in one object in constant time, however many there are.
struct JSONObjectIndex {
    /// Up to so many members walking is faster than hashing.
    static let walkedMax = 16

    private let object: JSONObject
    private var places: [ExactString: Int] = [:]

    init(_ object: JSONObject) {
        self.object = object
        guard object.count > Self.walkedMax else { return }
        places.reserveCapacity(object.count)
        for (place, member) in object.members.enumerated() {
            places[ExactString(member.key)] = place
        }
    }

    subscript(key: String) -> JSON? {
        guard object.count > Self.walkedMax else { return object[key] }
        return places[ExactString(key)].map { object.members[$0].value }
    }
}
