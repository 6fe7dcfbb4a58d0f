import JSON
import Navigation

/// Two lines: a link's pattern, or a whole app, and a URL.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let url = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
    let id = AppID(trusted: "a")
    if let app = (try? JSON(parsing: Array(parts[0]))).flatMap({
        AppReader.read($0, id: id, limits: Limits()).app
    }) {
        _ = app.resolve(url)
    }
    let pattern = JSON.string(String(decoding: parts[0], as: UTF8.self))
    let names = ["a", "b", "c"].map { "\"\($0)\":\"{\($0)}\"" }
    let text = """
        {"routes":{"r":{"params":{"properties":{"a":{},"b":{"type":"integer"},"c":{}}}}},
         "tabs":[{"id":"t","routes":["r"]}],
         "links":[{"pattern":\(String(decoding: pattern.bytes, as: UTF8.self)),"tab":"t",
                   "path":[{"route":"r","params":{\(names.joined(separator: ","))}}]}]}
        """
    if let document = try? JSON(parsing: Array(text.utf8)),
        let app = AppReader.read(document, id: id, limits: Limits()).app
    {
        _ = app.resolve(url)
    }
    return 0
}
