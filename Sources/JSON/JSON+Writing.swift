extension JSON {
    /// Appends the value as compact text.
    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): JSONText.appendInteger(Int(value), to: &bytes)
        case .double(let value): JSONText.appendDouble(value, to: &bytes)
        case .string(let value): JSONText.appendString(value, to: &bytes)
        case .array(let elements): JSON.write(elements, to: &bytes)
        case .object(let object): object.write(to: &bytes)
        }
    }

    /// The value as compact text.
    package var text: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The value as the bytes of its compact text.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private static func write(_ elements: [JSON], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            element.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}

extension JSONObject {
    /// Appends the object as compact text.
    package func write(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for member in members {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            JSONText.appendString(member.key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.value.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
