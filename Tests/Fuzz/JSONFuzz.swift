import JSON

/// A text is a value that its own text reads back as, or an error with a place.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    guard let value = try? JSON(parsing: bytes) else { return 0 }
    let text = value.bytes
    guard let again = try? JSON(parsing: text) else {
        preconditionFailure("what was written does not read")
    }
    precondition(again.bytes == text, "a text changed by being read and written")
    return 0
}
