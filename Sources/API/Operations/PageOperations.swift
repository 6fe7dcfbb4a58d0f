internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

/// The pages: embedded files, and an explanation of each problem.
struct PageOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// An embedded file.
    ///
    /// The query is ignored: links that are shared carry values of their own.
    func page(in assets: inout AssetTable) throws(OperationError) -> Reply {
        var path = context.request.text(context.request.path) ?? ""
        if path.hasSuffix("/") { path = String(path.unicodeScalars.dropLast()) }
        // No URL leads to this file.
        if path.hasSuffix(".wasm"), AcceptedCodings(context.request).hasBrotli {
            path = "rules.wasm.br"
        }
        guard let asset = assets.asset(at: path.isEmpty ? "/" : path) else {
            throw .problem(
                Problem(.notFound, "There is no such URL. All URLs are listed in /openapi.yaml."))
        }
        return Reply(
            Response(
                .ok, contentType: asset.contentType, etag: asset.etag, fields: asset.fields,
                body: asset.bytes))
    }

    /// The list of all problems.
    func problemList(_ pages: ProblemPages) -> Reply {
        let items = ProblemKind.allCases.map { kind in
            "<li><a href=\"/problems/\(kind.rawValue)\">\(kind.rawValue)</a></li>\n"
        }
        return reply(
            pages.list,
            short: """
                <!doctype html>
                <html lang="en"><meta charset="utf-8"><title>Problems</title>
                <ul>
                \(items.joined())</ul>

                """)
    }

    /// The page that the `type` of a problem points to.
    func problemPage(_ pages: ProblemPages) throws(OperationError) -> Reply {
        let name = try context.variable(0)
        let kind = ProblemKind(named: name)
        guard let kind else {
            throw .problem(
                Problem(.notFound, "There is no such problem. All are listed at /problems."))
        }
        return reply(
            pages[kind.rawValue],
            short: """
                <!doctype html>
                <html lang="en"><meta charset="utf-8"><title>\(kind.rawValue)</title>
                <h1>\(kind.title)</h1>
                <p><code>\(kind.rawValue)</code>, status \(kind.status.code)
                \(kind.status.reason).</p>
                <p>The <code>detail</code> of the response says what to do.</p>

                """)
    }

    /// The page for browsers, or a short one for others.
    private func reply(_ page: [UInt8], short: String) -> Reply {
        Reply(
            Response(
                .ok, contentType: .html, fields: [ResponseField(.vary, "Accept")],
                body: Self.isForBrowser(context.request) ? page : Array(short.utf8)))
    }

    /// The page that tells a person who has followed a wrong link where to go on. Nil if the client
    /// is no browser.
    static func missing(_ request: Request, _ pages: ProblemPages) -> Response? {
        guard request.method.isSafe, isForBrowser(request) else { return nil }
        return Response(
            .notFound, contentType: .html, caching: .never,
            fields: [ResponseField(.vary, "Accept")], body: pages.missing)
    }

    /// Whether the client asks for HTML before anything else, as browsers do.
    private static func isForBrowser(_ request: Request) -> Bool {
        let accepted = AcceptedTypes(request)
        return accepted.weight(of: "text/html") > accepted.weight(of: "text/plain")
    }
}
