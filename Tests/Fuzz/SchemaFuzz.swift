import JSON

/// Two lines: a schema and a value, or a pattern and a text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let (first, second) = (Array(parts[0]), parts.count > 1 ? Array(parts[1]) : [])
    if let document = try? JSON(parsing: first), let schema = try? compiled(document) {
        if let value = try? JSON(parsing: second) {
            let work = WorkBudget()
            let problems = try? schema.validate(value, work: work)
            let isValid = try? schema.isValid(value, work: WorkBudget())
            precondition(problems == nil || isValid == nil || problems?.isEmpty == isValid)
            precondition(work.unitsLeft >= 0)
        }
    }
    if let pattern = try? Pattern(String(decoding: first, as: UTF8.self)) {
        _ = pattern.matches(String(decoding: second, as: UTF8.self))
    }
    return 0
}

private func compiled(_ document: JSON) throws -> JSONSchema? {
    var compiler = try SchemaCompiler(
        definitions: JSONObject(), at: JSONPointer(), work: WorkBudget())
    let root = try compiler.add(document, at: JSONPointer())
    try compiler.settle()
    return try compiler.schema(root)
}
