public import Bytes

extension JSON {
    /// Appends the value as compact text.
    public func write(to out: inout ByteWriter) {
        switch self {
        case .null: out.append(literal: "null")
        case .bool(let value): out.append(literal: value ? "true" : "false")
        case .integer(let value): out.append(Int(value))
        case .double(let value): out.append(value)
        case .string(let value): out.append(string: value)
        case .array(let elements): JSON.write(elements, to: &out)
        case .object(let object): object.write(to: &out)
        }
    }

    /// The value as compact text.
    public var text: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The value as the bytes of its compact text.
    public var bytes: [UInt8] {
        var out = ByteWriter()
        write(to: &out)
        return out.finish()
    }

    private static func write(_ elements: [JSON], to out: inout ByteWriter) {
        out.append(UInt8(ascii: "["))
        for element in elements {
            out.element()
            element.write(to: &out)
        }
        out.append(UInt8(ascii: "]"))
    }
}

extension JSONObject {
    /// Appends the object as compact text.
    public func write(to out: inout ByteWriter) {
        out.append(UInt8(ascii: "{"))
        for member in members {
            out.member(key: member.key)
            member.value.write(to: &out)
        }
        out.append(UInt8(ascii: "}"))
    }
}

extension JSON {
    /// The value as text for people, with a line for each member and each element, and a line end.
    public var lines: String {
        var out = ByteWriter()
        writeLines(to: &out, indent: 0)
        out.append(UInt8(ascii: "\n"))
        return String(decoding: out.finish(), as: UTF8.self)
    }

    private func writeLines(to out: inout ByteWriter, indent: Int) {
        func begin(_ index: Int, _ indent: Int) {
            out.append(literal: index == 0 ? "\n" : ",\n")
            for _ in 0..<indent { out.append(literal: "  ") }
        }
        switch self {
        case .array(let elements) where !elements.isEmpty:
            out.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                begin(index, indent + 1)
                element.writeLines(to: &out, indent: indent + 1)
            }
            begin(0, indent)
            out.append(UInt8(ascii: "]"))
        case .object(let object) where !object.isEmpty:
            out.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                begin(index, indent + 1)
                out.append(string: member.key)
                out.append(literal: ": ")
                member.value.writeLines(to: &out, indent: indent + 1)
            }
            begin(0, indent)
            out.append(UInt8(ascii: "}"))
        case .null, .bool, .integer, .double, .string, .array, .object: write(to: &out)
        }
    }
}
