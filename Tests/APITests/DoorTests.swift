import API
import HTTP
import JSON
import Navigation
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

    @Test func `methods that do not go with a URL are told which do`() throws {
        let answer = try client.call("PATCH", "/v1/sessions")
        #expect(answer.status == 405)
        #expect(answer.response.value(of: "Allow") == "GET, HEAD, POST, OPTIONS")
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
        client.store.failure = .full
        #expect(try client.command("a", "navigate", #"{"route":"r"}"#).problem == "storage-full")
        #expect(try client.call("GET", "/v1/sessions/a").status == 200)
        #expect(try client.call("GET", "/readyz").status == 503)
    }
}
