internal import Bytes

/// Names a place in a JSON value (RFC 6901): `/params/contact/id`; the empty pointer is the whole.
///
/// It is kept as its steps, so that walking a value appends and removes them in place, and it is
/// written out only where something is to be said.
package struct JSONPointer: Sendable {
    /// The steps from the root, unescaped: names of members and indices of elements.
    package private(set) var steps: [String] = []

    /// The whole value.
    package init() {}

    /// Reads a pointer; nil if it is neither empty nor begins with `/`, or has a `~` that is
    /// neither `~0` nor `~1`.
    package init?(_ text: String) {
        guard !text.isEmpty else { return }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        let raw = text.utf8.dropFirst()
        for step in raw.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let plain = Self.unescaped(Array(step)) else { return nil }
            steps.append(plain)
        }
    }

    /// Reads a pointer as a URI's fragment, `#/$defs/Gr%C3%B6%C3%9Fe` (RFC 6901 §6); nil for a bad
    /// percent-encoding, too.
    package init?(fragment: String) {
        guard fragment.utf8.first == UInt8(ascii: "#"),
            let text = PercentCoding.decode(
                Array(fragment.utf8.dropFirst())[...], plusIsSpace: false, allowsControls: true)
        else { return nil }
        self.init(text)
    }

    package var isEmpty: Bool { steps.isEmpty }

    package mutating func append(_ name: String) {
        steps.append(name)
    }

    package mutating func append(_ index: Int) {
        steps.append(String(index))
    }

    package mutating func removeLast() {
        steps.removeLast()
    }

    package func appending(_ name: String) -> JSONPointer {
        var longer = self
        longer.append(name)
        return longer
    }

    package func appending(_ index: Int) -> JSONPointer {
        appending(String(index))
    }

    package func appending(_ pointer: JSONPointer) -> JSONPointer {
        var longer = self
        longer.steps += pointer.steps
        return longer
    }

    private static func unescaped(_ step: [UInt8]) -> String? {
        var plain: [UInt8] = []
        var place = 0
        while place < step.count {
            guard step[place] == UInt8(ascii: "~") else {
                plain.append(step[place])
                place += 1
                continue
            }
            switch place + 1 < step.count ? step[place + 1] : 0 {
            case UInt8(ascii: "0"): plain.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): plain.append(UInt8(ascii: "/"))
            default: return nil
            }
            place += 2
        }
        return String(decoding: plain, as: UTF8.self)
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as RFC 6901 writes it.
    package var description: String {
        var bytes: [UInt8] = []
        for step in steps {
            bytes.append(UInt8(ascii: "/"))
            for byte in step.utf8 {
                switch byte {
                case UInt8(ascii: "~"): bytes.append(contentsOf: "~0".utf8)
                case UInt8(ascii: "/"): bytes.append(contentsOf: "~1".utf8)
                default: bytes.append(byte)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONPointer: Hashable {
    package static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.steps.elementsEqual(right.steps, by: JSONText.isSame)
    }

    package func hash(into hasher: inout Hasher) {
        for step in steps {
            hasher.combine(ExactString(step))
        }
    }
}

extension JSON {
    /// The value at that place, or nil if there is none.
    package func value(at pointer: JSONPointer) -> JSON? {
        var place = self
        for step in pointer.steps {
            switch place {
            case .object(let object):
                guard let value = object[step] else { return nil }
                place = value
            case .array(let elements):
                guard let index = Self.index(step), index < elements.count else { return nil }
                place = elements[index]
            case .null, .bool, .integer, .double, .string: return nil
            }
        }
        return place
    }

    /// An index as RFC 6901 has it: digits without a leading zero.
    private static func index(_ step: String) -> Int? {
        let isPlain = step.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        guard isPlain, step == "0" || step.utf8.first != UInt8(ascii: "0") else { return nil }
        return Int(step)
    }
}
