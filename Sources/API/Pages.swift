internal import Assets
internal import HTTP
internal import JSON
internal import Navigation

// What is not under /v1: documents, health, the pages that problems point to.

/// A file that is embedded in the executable.
struct Asset {
    let bytes: [UInt8]
    let contentType: ContentType
    /// Changes with the bytes.
    let etag: String

    init(_ number: Int32, _ contentType: ContentType) {
        bytes = (0..<asset_size(number)).map { asset_byte(number, $0) }
        self.contentType = contentType
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        etag = String(hash, radix: 16)
    }

    static let openAPI = Asset(ASSET_OPENAPI, .yaml)
}

extension Service {
    func page(_ asset: Asset, _ call: Call) throws(Interruption) -> Reply {
        _ = try Query(call, allowed: [])
        let fields = [ResponseField(.cacheControl, "no-cache")]
        if try call.tags(.ifNoneMatch)?.matchWeakly(asset.etag) == true {
            return Reply(Response(.notModified, etag: asset.etag, fields: fields))
        }
        return Reply(
            Response(
                .ok, contentType: asset.contentType, etag: asset.etag, fields: fields,
                body: asset.bytes))
    }

    /// The page that a problem's `type` points to.
    func problemPage(_ call: Call) throws(Interruption) -> Reply {
        guard let kind = ProblemKind(rawValue: try call.variable(0)) else {
            throw .problem(Problem(.notFound, "the problems are listed in /openapi.yaml"))
        }
        let page = """
            <!doctype html>
            <html lang="en"><meta charset="utf-8"><title>\(kind.rawValue)</title>
            <h1>\(kind.title)</h1>
            <p><code>\(kind.rawValue)</code>, status \(kind.status.code)
            \(kind.status.reason).</p>
            <p>The problem's <code>detail</code> says what to do about the occurrence at hand.</p>

            """
        return Reply(Response(.ok, contentType: .html, body: Array(page.utf8)))
    }
}
