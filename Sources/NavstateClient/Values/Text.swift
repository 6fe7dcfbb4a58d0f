// Strings are compared by their bytes. The operators of the standard library treat canonically
// equivalent spellings as equal, and take time that grows with the square of the length of a run of
// combining marks, which another client may have put into a session. In this target the compiler
// prefers the declarations below, also in a synthesized `==`.

extension String {
    static func == (left: String, right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    static func != (left: String, right: String) -> Bool { !(left == right) }

    static func == (left: String?, right: String) -> Bool {
        if let left { left == right } else { false }
    }

    static func != (left: String?, right: String) -> Bool { !(left == right) }

    static func < (left: String, right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    static func ~= (pattern: String, text: String) -> Bool { pattern == text }

    func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    func hasSuffix(_ suffix: String) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}

extension Optional where Wrapped == String {
    static func == (left: String?, right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        case (nil, _?), (_?, nil): false
        }
    }

    static func != (left: String?, right: String?) -> Bool { !(left == right) }
}
