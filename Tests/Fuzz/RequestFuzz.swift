import Bytes
import HTTP

/// Whatever the bytes are, and wherever the network cuts them, the parser comes to the same end;
/// and what is read from a request's fields is a value or nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    var limits = ParserLimits()
    limits.bodyBytesMax = 4096
    let whole = outcome(bytes, limits, cut: bytes.count)
    let cut = bytes.isEmpty ? 0 : Int(bytes[bytes.count / 2]) % bytes.count
    precondition(whole == outcome(bytes, limits, cut: cut), "a cut changed the outcome")
    let again = outcome(bytes, limits, cut: bytes.count, KnownHeads())
    precondition(whole == again, "known field lines changed the outcome")
    return 0
}

private func outcome(
    _ bytes: [UInt8], _ limits: ParserLimits, cut: Int, _ heads: KnownHeads? = nil
) -> [String] {
    var parser = RequestParser(limits: limits)
    var (start, end, steps) = (0, cut, [String]())
    while true {
        switch parser.parse(bytes, from: start, to: end, heads) {
        case .needsMore:
            if end == bytes.count { return steps + ["more"] }
            end = bytes.count
        case .request(let request, let consumed):
            precondition(consumed > 0 && start + consumed <= end)
            start += consumed
            look(request)
            look(request.compacted())
            steps.append("\(request.method) \(request.text(request.path) ?? "") \(request.body)")
        case .refused(let malformation): return steps + ["\(malformation)"]
        }
    }
}

private func look(_ request: Request) {
    if let segments = PathSegments(request) {
        for index in 0..<segments.count {
            _ = PercentCoding.decodeSegment(request.bytes, segments[index])
        }
    }
    _ = try? QueryItems(request).decoded { _ in true }
    for field in Field.allCases {
        _ = request.value(of: field)
        for line in request.lines(of: field) { _ = request.text(line) }
    }
    _ = EntityTags(request, .ifMatch)
    _ = EntityTags(request, .ifNoneMatch)
    _ = Preferences(request)
    _ = AcceptedTypes(request).accepts(.json)
    _ = MediaType(request)
}
