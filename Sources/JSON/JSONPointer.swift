internal import Bytes

/// The path of a value within a JSON value (RFC 6901), such as `/params/contact/id`. The empty
/// pointer is the path of the whole value.
///
/// It is stored as a list of steps, so that code that traverses a value can append and remove steps
/// cheaply.
public struct JSONPointer: Sendable {
    /// The names of members and indices of elements from the root, not escaped.
    public private(set) var steps: [String] = []

    /// The pointer to the whole value.
    public init() {}

    /// Reads a pointer. Nil unless the text is empty or begins with `/`, and each `~` is part of
    /// `~0` or `~1`.
    public init?(_ text: String) {
        guard !text.isEmpty else { return }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        let raw = text.utf8.dropFirst()
        for step in raw.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let plain = Self.unescaped(Array(step)) else { return nil }
            steps.append(plain)
        }
    }

    /// Reads a pointer in a URI fragment, such as `#/$defs/Gr%C3%B6%C3%9Fe` (RFC 6901 §6). Nil if
    /// the percent-encoding or the pointer is invalid.
    public init?(fragment: String) {
        guard fragment.utf8.first == UInt8(ascii: "#"),
            let text = PercentCoding.decode(
                Array(fragment.utf8.dropFirst())[...], plusIsSpace: false, allowsControls: true)
        else { return nil }
        self.init(text)
    }

    /// Whether it points to the whole value.
    public var isEmpty: Bool { steps.isEmpty }

    /// Appends the name of a member.
    public mutating func append(_ name: String) {
        steps.append(name)
    }

    /// Appends the index of an element.
    public mutating func append(_ index: Int) {
        steps.append(String(index))
    }

    /// Removes the last step, which must exist.
    public mutating func removeLast() {
        steps.removeLast()
    }

    /// The pointer to a member.
    public func appending(_ name: String) -> JSONPointer {
        var longer = self
        longer.append(name)
        return longer
    }

    /// The pointer to an element.
    public func appending(_ index: Int) -> JSONPointer {
        appending(String(index))
    }

    /// The pointer followed by the steps of another one.
    public func appending(_ pointer: JSONPointer) -> JSONPointer {
        var longer = self
        longer.steps += pointer.steps
        return longer
    }

    private static func unescaped(_ step: [UInt8]) -> String? {
        var plain: [UInt8] = []
        var position = 0
        while position < step.count {
            guard step[position] == UInt8(ascii: "~") else {
                plain.append(step[position])
                position += 1
                continue
            }
            switch position + 1 < step.count ? step[position + 1] : 0 {
            case UInt8(ascii: "0"): plain.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): plain.append(UInt8(ascii: "/"))
            default: return nil
            }
            position += 2
        }
        return String(decoding: plain, as: UTF8.self)
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The text of the pointer, by RFC 6901.
    public var description: String {
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
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.steps == right.steps
    }

    public func hash(into hasher: inout Hasher) {
        for step in steps {
            hasher.combine(ExactString(step))
        }
    }
}

extension JSON {
    /// The value at a pointer, if there is one.
    public func value(at pointer: JSONPointer) -> JSON? {
        var found = self
        for step in pointer.steps {
            switch found {
            case .object(let object):
                guard let value = object[step] else { return nil }
                found = value
            case .array(let elements):
                guard let index = Self.index(step), index < elements.count else { return nil }
                found = elements[index]
            case .null, .bool, .integer, .double, .string: return nil
            }
        }
        return found
    }

    /// Reads an index by RFC 6901: digits without a leading zero.
    static func index(_ step: String) -> Int? {
        let isPlain = step.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        guard isPlain, step == "0" || step.utf8.first != UInt8(ascii: "0") else { return nil }
        return Int(step)
    }
}
