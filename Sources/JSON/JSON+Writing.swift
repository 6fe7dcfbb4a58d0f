package import Bytes

extension JSON {
    /// Appends the value as compact text.
    package func write(to out: inout ByteWriter) {
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
    package var text: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The value as the bytes of its compact text.
    package var bytes: [UInt8] {
        var out = ByteWriter()
        write(to: &out)
        return out.finish()
    }

    private static func write(_ elements: [JSON], to out: inout ByteWriter) {
        out.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            element.write(to: &out)
        }
        out.append(UInt8(ascii: "]"))
    }
}

extension JSONObject {
    /// Appends the object as compact text.
    package func write(to out: inout ByteWriter) {
        out.append(UInt8(ascii: "{"))
        var isFirst = true
        for member in members {
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            out.append(string: member.key)
            out.append(UInt8(ascii: ":"))
            member.value.write(to: &out)
        }
        out.append(UInt8(ascii: "}"))
    }
}
