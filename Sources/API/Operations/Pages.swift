internal import Assets
internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

// What is not under /v1: documents, health, the pages that problems point to.

/// A file that is embedded in the executable.
struct Asset {
    let bytes: [UInt8]
    let contentType: ContentType
    /// Changes with the bytes.
    let etag: ResponseTag

    private init(_ number: Int32, path: String) {
        bytes = (0..<asset_size(number)).map { asset_byte(number, $0) }
        contentType = Self.contentType(of: path)
        var hash = FNV1a()
        hash.mix(bytes)
        etag = ResponseTag(String(hash.hash, radix: 16))
    }

    private static func contentType(of path: String) -> ContentType {
        if path.hasSuffix(".js") { return .javaScript }
        if path.hasSuffix(".css") { return .css }
        if path.hasSuffix(".yaml") { return .yaml }
        return .html
    }

    /// The files' numbers by the paths under which they are served.
    private static let numbers: [String: Int32] = {
        var numbers: [String: Int32] = [:]
        for number in 0..<asset_count() {
            let path = (0...).lazy.map { asset_path_byte(number, $0) }.prefix { $0 != 0 }
            numbers[String(decoding: Array(path), as: UTF8.self)] = number
        }
        return numbers
    }()

    /// Empty if there is no such file.
    static func bytes(at path: String) -> [UInt8] {
        var none: [String: Asset] = [:]
        return at(path, &none)?.bytes ?? []
    }

    /// The file that is served under that path. It is read when it is asked for first, since most
    /// servers are never asked.
    static func at(_ path: String, _ known: inout [String: Asset]) -> Asset? {
        if let asset = known[path] { return asset }
        guard let number = numbers[path] else { return nil }
        let asset = Asset(number, path: path)
        known[path] = asset
        return asset
    }
}

extension Service {
    /// A document, or a part of a page.
    func page(_ context: RequestContext) throws(OperationError) -> Reply {
        _ = try Query(context, allowed: [])
        let path = context.request.text(context.request.path) ?? ""
        guard let asset = Asset.at(path.isEmpty ? "/" : path, &assets) else {
            throw .problem(
                Problem(.notFound, "There is no such URL. All URLs are listed in /openapi.yaml."))
        }
        return Reply(
            Response(
                .ok, contentType: asset.contentType, etag: asset.etag, body: asset.bytes))
    }

    /// The page that a problem's `type` points to.
    func problemPage(_ context: RequestContext) throws(OperationError) -> Reply {
        let name = try context.variable(0)
        let kind = ProblemKind.allCases.first { JSONText.isSame($0.rawValue, name) }
        guard let kind else {
            throw .problem(
                Problem(.notFound, "There is no such problem. All are listed in /openapi.yaml."))
        }
        let page = """
            <!doctype html>
            <html lang="en"><meta charset="utf-8"><title>\(kind.rawValue)</title>
            <h1>\(kind.title)</h1>
            <p><code>\(kind.rawValue)</code>, status \(kind.status.code)
            \(kind.status.reason).</p>
            <p>The <code>detail</code> of the response says what to do.</p>

            """
        return Reply(Response(.ok, contentType: .html, body: Array(page.utf8)))
    }
}
