import JSON
import Navigation

/// Two lines: a link's pattern, or a whole app, and a URL.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let url = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
    if let document = try? JSON(parsing: Array(parts[0])) { resolve(url, in: document) }
    let pattern = JSON.string(String(decoding: parts[0], as: UTF8.self))
    let names = ["a", "b", "c"].map { "\"\($0)\":\"{\($0)}\"" }
    let text = """
        {"routes":{"r":{"params":{"properties":{"a":{},"b":{"type":"integer"},"c":{}}}}},
         "tabs":[{"id":"t","routes":["r"]}],
         "links":[{"pattern":\(String(decoding: pattern.bytes, as: UTF8.self)),"tab":"t",
                   "path":[{"route":"r","params":{\(names.joined(separator: ","))}}]}]}
        """
    if let document = try? JSON(parsing: Array(text.utf8)) { resolve(url, in: document) }
    return 0
}

private func resolve(_ url: String, in document: JSON) {
    let report = try? AppReader.read(
        document, id: AppID(trusted: "a"), limits: Limits(), work: WorkBudget())
    guard let app = report?.app else { return }
    let work = WorkBudget()
    guard let goal = try? app.resolve(url, work: work), let path = goal.path else { return }
    var state = app.freshState
    state.selected = state.tabIndex(goal.tab) ?? 0
    state.tabs[state.selected].path = path.enumerated().map {
        Entry(id: EntryID(number: $0), route: $1.route, params: $1.params)
    }
    _ = try? app.link(to: state, work: work)
}
