import API
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

@Suite struct DoorTests {
    let client: Client

    init() throws {
        client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
    }

    @Test(arguments: [
        "localhost", "LOCALHOST:9", "127.0.0.1:8080", "127.1.2.3", "[::1]:80", "localhost:1",
    ])
    func `loopback names come in`(host: String) throws {
        #expect(try client.call("GET", "/v1/sessions/a", nil, ["Host": host]).status == 200)
    }

    @Test(arguments: [
        "evil.example", "127.0.0.1.evil.example", "localhost.evil", "10.0.0.1", "[::2]",
    ])
    func `other names are kept out, but for the probes`(host: String) throws {
        let refused = try client.call("GET", "/v1/sessions/a", nil, ["Host": host])
        #expect(refused.problem == "host-not-allowed")
        #expect(try client.call("GET", "/livez", nil, ["Host": host]).status == 200)
        #expect(try client.call("GET", "/readyz", nil, ["Host": host]).status == 200)
    }

    @Test func `foreign pages may look and not touch`() throws {
        let foreign = ["Origin": "https://evil.example"]
        #expect(try client.call("GET", "/v1/sessions/a", nil, foreign).status == 200)
        #expect(try client.command("a", "back", "{}", foreign).problem == "origin-not-allowed")
        let crossSite = ["Sec-Fetch-Site": "cross-site"]
        #expect(try client.command("a", "back", "{}", crossSite).problem == "origin-not-allowed")
        #expect(try client.command("a", "back", "{}", ["Origin": "null"]).status == 403)
        let own = ["Origin": "http://localhost:8080"]
        #expect(try client.command("a", "back", "{}", own).status == 200)
    }

    @Test func `a page is our own by the name that the target says, not by Host`() throws {
        let target = "http://localhost:8080/v1/sessions/a/back"
        for (origin, status) in [("http://localhost:8080", 200), ("http://evil.example", 403)] {
            let fields = ["Host": "evil.example", "Origin": origin]
            #expect(try client.call("POST", target, "{}", fields).status == status)
        }
    }

    @Test(arguments: [
        [0xFF], Array("https://evil.exampl\u{E9}".utf8), Array("http://LOCALHOST\u{301}".utf8),
        Array("https://\u{212A}.example".utf8),
    ])
    func `an Origin that is not ASCII is foreign`(origin: [UInt8]) throws {
        var options = ServiceOptions()
        options.originPolicy.allowedOrigins = ["https://k.example"]
        let client = try Client(options: options)
        var message = Array("POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nOrigin: ".utf8)
        message += origin + Array("\r\n\r\n".utf8)
        let answer = try client.answer(to: message)
        #expect(answer.problem == "origin-not-allowed")
        #expect(answer.response.value(of: "Access-Control-Allow-Origin") == nil)
    }

    @Test func `methods that do not go with a URL are told which do`() throws {
        let answer = try client.call("PATCH", "/v1/sessions")
        #expect(answer.status == 405)
        #expect(answer.response.value(of: "Allow") == "GET, HEAD, POST, OPTIONS")
        let star = try client.call("OPTIONS", "*")
        #expect(
            star.response.value(of: "Allow") == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
        let options = try client.call("OPTIONS", "/v1/sessions/a")
        #expect(options.status == 204)
        #expect(
            options.response.value(of: "Allow") == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
    }

    @Test(arguments: [
        "/nothing", "/v1/sessions/", "/v1//sessions", "/v1/sessions/../apps", "/V1/apps",
    ])
    func `unknown paths are 404`(path: String) throws {
        #expect(try client.call("GET", path).status == 404)
    }

    @Test func `an id may be percent-encoded in the path`() throws {
        #expect(try client.call("GET", "/v1/sessions/%61").status == 200)
        #expect(try client.call("GET", "/v1/sessions/%6").status == 400)
    }

    @Test func `every problem has a page`() throws {
        for kind in ProblemKind.allCases {
            let page = try client.call("GET", "/problems/\(kind.rawValue)")
            #expect(page.status == 200)
            #expect(page.text.contains(kind.title))
        }
        #expect(try client.call("GET", "/problems/nothing").status == 404)
    }

    @Test func `Accept that takes no JSON is 406`() throws {
        let html = ["Accept": "text/html"]
        #expect(try client.call("GET", "/v1/sessions/a", nil, html).problem == "not-acceptable")
        let any = ["Accept": "text/html, */*;q=0.1"]
        #expect(try client.call("GET", "/v1/sessions/a", nil, any).status == 200)
    }

    @Test func `a full disk is 507 and reads go on`() throws {
        client.store.isFull = true
        // The change that finds it out is taken back.
        try client.command("a", "navigate", #"{"route":"r"}"#)
        client.service.storeWentBack()
        #expect(try client.command("a", "navigate", #"{"route":"r"}"#).problem == "storage-full")
        #expect(try client.call("GET", "/v1/sessions/a").status == 200)
        #expect(try client.call("GET", "/readyz").status == 503)
    }
}

/// Servers that others reach than this machine.
@Suite struct HostNameTests {
    private func status(
        _ originPolicy: RequestOriginPolicy, _ path: String, host: String,
        onMetricsAddress: Bool = false
    ) throws -> Int {
        var options = ServiceOptions()
        options.originPolicy = originPolicy
        options.hasMetricsAddress = onMetricsAddress
        let text = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        return try Client(options: options)
            .answer(to: Array(text.utf8), onMetricsAddress: onMetricsAddress).status
    }

    static let addresses = [
        "localhost", "127.0.0.1:8080", "[::1]", "10.0.0.1", "192.168.1.20:8080", "[fd00::1]:80",
    ]
    /// DNS can make each of these point to the server.
    static let names = [
        "evil.example", "navstate", "10.0.0.1.evil.example", "10.0.0", "10.0.0.1.2", "10.0.0.",
        "1000.0.0.1",
    ]

    @Test(arguments: addresses)
    func `a server that asks for no token is called by any address`(host: String) throws {
        var originPolicy = RequestOriginPolicy()
        originPolicy.otherHosts = .addresses
        #expect(try status(originPolicy, "/v1/sessions", host: host) == 200)
    }

    @Test(arguments: names)
    func `a server that asks for no token is called by no name but those it was given`(
        host: String
    ) throws {
        var originPolicy = RequestOriginPolicy()
        originPolicy.otherHosts = .addresses
        #expect(try status(originPolicy, "/v1/sessions", host: host) == 403)
        #expect(try status(originPolicy, "/readyz", host: host) == 200)
        originPolicy.allowedHosts = [host]
        #expect(try status(originPolicy, "/v1/sessions", host: host.uppercased() + ":80") == 200)
    }

    @Test func `metrics are read by address and by a name that was given`() throws {
        for others in [RequestOriginPolicy.OtherHosts.loopback, .addresses, .any] {
            var originPolicy = RequestOriginPolicy()
            originPolicy.otherHosts = others
            originPolicy.allowedHosts = ["metrics.example"]
            for host in Self.addresses + ["metrics.example"] {
                #expect(
                    try status(originPolicy, "/metrics", host: host, onMetricsAddress: true) == 200)
            }
            for host in Self.names {
                #expect(
                    try status(originPolicy, "/metrics", host: host, onMetricsAddress: true) == 403)
                #expect(
                    try status(originPolicy, "/livez", host: host, onMetricsAddress: true) == 200)
            }
        }
    }
}

/// Text that Unicode takes for the same as other text, or compares slowly.
@Suite struct ForeignTextTests {
    @Test(arguments: [
        ("GET", "/problems/unauthorized%CD%8F", 404), ("GET", "/livez?verbose=true%CC%81", 200),
        ("GET", "/livez?verbos%C3%A9", 200), ("DELETE", "/v1/sessions/a/tokens/%CC%81", 404),
        ("POST", "/v1/sessions/a/back?dryRun=tru%65%CC%81", 422),
        ("GET", "/v1/sessions?label=k:%CC%81", 200), ("GET", "/v1/sessions?limit=%D9%A1", 422),
    ])
    func `text from outside is compared byte by byte`(
        method: String, target: String, status: Int
    ) throws {
        let client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        try client.call("POST", "/v1/sessions/a/tokens", #"{"scope":"read"}"#)
        #expect(try client.call(method, target).status == status)
    }
}
