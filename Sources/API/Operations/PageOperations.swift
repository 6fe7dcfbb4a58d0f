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
        let path = context.request.text(context.request.path) ?? ""
        guard let asset = assets.asset(at: path.isEmpty ? "/" : path) else {
            throw .problem(
                Problem(.notFound, "There is no such URL. All URLs are listed in /openapi.yaml."))
        }
        return Reply(
            Response(
                .ok, contentType: asset.contentType, etag: asset.etag, body: asset.bytes))
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

    /// The page for browsers, which ask for HTML before anything else, or a short one for others.
    private func reply(_ page: [UInt8], short: String) -> Reply {
        let accepted = AcceptedTypes(context.request)
        let html = accepted.weight(of: "text/html")
        let isBrowser = html > accepted.weight(of: "text/plain")
        return Reply(
            Response(
                .ok, contentType: .html, fields: [ResponseField(.vary, "Accept")],
                body: isBrowser ? page : Array(short.utf8)))
    }
}
