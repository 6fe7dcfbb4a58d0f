import API
import HTTP
import TestSupport
import Testing

@Suite struct CORSTests {
    let client: Client

    init() throws {
        var options = ServiceOptions()
        options.originPolicy.allowedOrigins = ["https://app.example"]
        options.originPolicy.allowedHosts = ["nav.example"]
        client = try Client(options: options)
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
    }

    private let allowOrigin = "Access-Control-Allow-Origin"

    @Test func `a page of a named origin may call and read`() throws {
        let origin = ["Origin": "https://app.example"]
        for answer in [
            try client.call("GET", "/v1/sessions/a", nil, origin),
            try client.command("a", "back", "{}", origin),
            try client.call("GET", "/v1/sessions/none", nil, origin),
        ] {
            #expect(answer.response.value(of: allowOrigin) == "https://app.example")
            #expect(answer.response.value(of: "Vary") == "Origin")
            let exposed = answer.response.value(of: "Access-Control-Expose-Headers") ?? ""
            for name in [
                "ETag", "Location", "Link", "Retry-After", "Preference-Applied", "X-Request-Id",
                "traceparent",
            ] {
                #expect(exposed.contains(name))
            }
            #expect(answer.response.value(of: "Access-Control-Allow-Credentials") == nil)
        }
    }

    @Test(arguments: [
        "https://evil.example", "http://app.example", "https://app.example:8443", "null",
        "https://app.example.evil", "https://xapp.example",
    ])
    func `a page of another origin gets nothing to read with`(origin: String) throws {
        let answer = try client.call("GET", "/v1/sessions/a", nil, ["Origin": origin])
        #expect(answer.response.value(of: allowOrigin) == nil)
        #expect(answer.response.value(of: "Vary") == "Origin")
        let asked = ["Origin": origin, "Access-Control-Request-Method": "POST"]
        let preflight = try client.call("OPTIONS", "/v1/sessions/a/back", nil, asked)
        #expect(preflight.status == 204)
        #expect(preflight.response.value(of: allowOrigin) == nil)
        #expect(try client.command("a", "back", "{}", ["Origin": origin]).status == 403)
    }

    @Test func `a preflight tells what may be sent, without a token`() throws {
        let asked = [
            "Origin": "https://app.example", "Access-Control-Request-Method": "PATCH",
            "Access-Control-Request-Headers": "authorization,content-type",
        ]
        let answer = try client.call("OPTIONS", "/v1/sessions/a", nil, asked)
        #expect(answer.status == 204)
        #expect(answer.response.value(of: allowOrigin) == "https://app.example")
        let methods = answer.response.value(of: "Access-Control-Allow-Methods") ?? ""
        #expect(methods.contains("PATCH"))
        let fields = answer.response.value(of: "Access-Control-Allow-Headers") ?? ""
        for name in ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Prefer"]
            + ["X-Request-Id", "traceparent"]
        {
            #expect(fields.contains(name))
        }
        let names = answer.response.fields.map(\.name.text)
        #expect(names.filter { $0 == allowOrigin }.count == 1)
        #expect(answer.response.fields.contains(ResponseField(.vary, "Origin")))
        #expect(names.contains("Accept-Patch"))
    }

    @Test func `without named origins nothing is said`() throws {
        let plain = try Client()
        let answer = try plain.call("GET", "/livez", nil, ["Origin": "https://app.example"])
        #expect(answer.response.value(of: allowOrigin) == nil)
        #expect(answer.response.value(of: "Vary") == nil)
    }

    @Test func `the server goes by the names that were given`() throws {
        #expect(try client.call("GET", "/v1/apps", nil, ["Host": "NAV.example:80"]).status == 200)
        #expect(try client.call("GET", "/v1/apps", nil, ["Host": "x.example"]).status == 403)
    }

    @Test func `pages say that nobody frames them and what they load`() throws {
        let page = try client.call("GET", "/problems/forbidden").response
        #expect(page.value(of: "X-Content-Type-Options") == "nosniff")
        #expect(page.value(of: "Content-Security-Policy")?.contains("default-src 'none'") == true)
        #expect(page.value(of: "X-Frame-Options") == "DENY")
        #expect(page.value(of: "Referrer-Policy") == "no-referrer")
    }

    @Test func `origins and hosts are read strictly`() {
        #expect(
            RequestOriginPolicy.origin("HTTPS://App.example:8443") == "https://app.example:8443")
        for text in ["*", "null", "app.example", "https://a/b", "https://", "ftp://a", ""] {
            #expect(RequestOriginPolicy.origin(text) == nil)
        }
        #expect(RequestOriginPolicy.host("Nav.example") == "nav.example")
        #expect(RequestOriginPolicy.host("[::1]") == "[::1]")
        for text in ["", "nav.example:80", "http://nav", "a b", "*"] {
            #expect(RequestOriginPolicy.host(text) == nil)
        }
    }
}
