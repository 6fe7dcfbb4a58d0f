public import JSON

extension JSONPointer {
    /// Takes a pointer that this program wrote.
    init(trusted text: String) {
        guard let pointer = JSONPointer(text) else {
            preconditionFailure("not a JSON pointer: \(text)")
        }
        self = pointer
    }

    /// Escapes one step for use in a pointer.
    public static func escaped(_ step: String) -> String {
        String(JSONPointer().appending(step).description.dropFirst())
    }
}

extension InputFault {
    public init(_ problem: SchemaError) {
        self.init(pointer: problem.pointer.description, detail: problem.detail)
    }
}
