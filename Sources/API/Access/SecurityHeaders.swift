internal import Bytes
internal import HTTP

// Fields for browsers: which pages of other origins may read a response (Fetch §3.2), and what our
// own pages may not do. Origins are allowed by name only, and never with credentials: a page has to
// set the field with the token itself.

extension RequestOriginPolicy {
    /// The fields that allow a page of an allowed origin to read the response.
    func fields(for request: Request) -> [ResponseField] {
        guard !allowedOrigins.isEmpty else { return [] }
        let varies = ResponseField(.vary, "Origin")
        guard let origin = allowedOrigin(of: request) else { return [varies] }
        return [
            varies, ResponseField("Access-Control-Allow-Origin", origin),
            ResponseField("Access-Control-Expose-Headers", Self.exposed),
        ]
    }

    /// The response to a preflight request, or nil if the request is not one. The allowed origin is
    /// in the fields of every response.
    func preflight(_ request: Request, allow: String) -> Response? {
        guard !allowedOrigins.isEmpty, request[.accessControlRequestMethod] != nil else {
            return nil
        }
        let varies = "Access-Control-Request-Method, Access-Control-Request-Headers"
        var fields = [ResponseField(.allow, allow), ResponseField(.vary, varies)]
        if allowedOrigin(of: request) != nil {
            fields += [
                ResponseField("Access-Control-Allow-Methods", allow),
                ResponseField("Access-Control-Allow-Headers", Self.accepted),
                ResponseField("Access-Control-Max-Age", "\(Self.maxAgeSeconds)"),
            ]
        }
        return Response(.noContent, fields: fields)
    }

    private func allowedOrigin(of request: Request) -> String? {
        Self.origin(of: request).flatMap { allowedOrigins.contains($0) ? $0 : nil }
    }

    private static let exposed =
        "Allow, ETag, Link, Location, Preference-Applied, Retry-After, traceparent, "
        + "WWW-Authenticate, X-Request-Id"
    private static let accepted =
        "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
        + "Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Prefer, traceparent, "
        + "X-Request-Id"
    /// Browsers cache a preflight response for two hours at most.
    private static let maxAgeSeconds = 7200
}

extension RequestOriginPolicy {
    /// Reads `https://app.example` or `http://localhost:5173` as browsers write origins. Returns
    /// nil for anything else, also for `*` and `null`.
    public static func origin(_ text: String) -> String? {
        let lower = text.lowercased()
        for scheme in ["https://", "http://"] where lower.hasPrefix(scheme) {
            let rest = lower.dropFirst(scheme.count)
            guard !rest.isEmpty, rest.utf8.allSatisfy(isHostByte) else { return nil }
            return lower
        }
        return nil
    }

    /// Reads a host name of the server, without scheme and port. Returns nil for anything else.
    public static func host(_ text: String) -> String? {
        let lower = text.lowercased()
        let isAddress = lower.hasPrefix("[") && lower.hasSuffix("]")
        guard !lower.isEmpty, lower.utf8.allSatisfy(isHostByte),
            isAddress || !lower.utf8.contains(0x3A)
        else { return nil }
        return lower
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F: true
        default: false
        }
    }
}

extension Response {
    /// Adds the fields of every page: it loads nothing from other origins, it is not shown in
    /// frames, and browsers do not guess its type.
    mutating func addPageFields(for request: Request) {
        switch contentType {
        case .html, .javaScript, .css, .yaml, .text, .svg, .schemaJSON, .wasm: break
        case .json, .problemJSON, .ndjson, .eventStream, .prometheus, .octetStream, nil: return
        }
        fields.append(ResponseField("X-Content-Type-Options", "nosniff"))
        if contentType == .javaScript, request.text(request.path) == "/play/worker.js" {
            fields.append(ResponseField("Content-Security-Policy", Self.workerPolicy))
        }
        guard contentType == .html else { return }
        let path = request.text(request.path) ?? ""
        let scripts = Self.pagesWithRules.contains(path) ? " 'wasm-unsafe-eval'" : ""
        fields += [
            ResponseField("Content-Security-Policy", Self.pagePolicy(scripts)),
            ResponseField("Referrer-Policy", "no-referrer"),
            ResponseField("X-Frame-Options", "DENY"),
            ResponseField("Cross-Origin-Opener-Policy", "same-origin"),
        ]
    }

    /// The thread of the playground compiles the rules, which no page does.
    private static let workerPolicy =
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

    /// The pages that carry out commands by the rules, which are WebAssembly.
    private static let pagesWithRules = ["/display", "/display/"]

    private static func pagePolicy(_ scripts: String) -> String {
        "default-src 'none'; script-src 'self'\(scripts); style-src 'self'; "
            + "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }
}
