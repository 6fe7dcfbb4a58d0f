import API
import HTTP
import Sessions
import Testing

/// The answers to probes.
@Suite struct HealthTests {
    @Test func `both probes are well, and list their checks when asked`() throws {
        let client = try Client()
        #expect(try client.call("GET", "/livez").status == 200)
        let ready = try client.call("GET", "/readyz?verbose")
        #expect(
            ready.text
                == "[+]store ok\n[+]not-draining ok\nreadyz check passed\n")
    }

    @Test func `what an operator should change is listed when asked for, and does not fail`() throws
    {
        let shared = SharedStoreParts(try ClientStore())
        let client = Client(over: shared.store, as: shared.parts)
        shared.warnings = ["one", "two"]
        let ready = try client.call("GET", "/readyz?verbose")
        #expect(ready.status == 200 && ready.text.hasSuffix("check passed\n[!]one\n[!]two\n"))
        #expect(try client.call("GET", "/readyz").text == "ok\n")
    }

    @Test func `a server that will stop is alive and not ready, and serves on`() throws {
        let client = try Client()
        client.service.environment.isDraining = true
        #expect(try client.call("GET", "/livez").status == 200)
        let ready = try client.call("GET", "/readyz")
        #expect(ready.status == 503)
        #expect(ready.problem == "shutting-down")
        #expect(ready.text.contains(#""checks":{"store":"ok","not-draining":"failed"}"#))
        #expect(try client.call("GET", "/v1/sessions").status == 200)
    }

    @Test func `a server that still reads its store is not ready, and says how far it is`() throws {
        let shared = SharedStoreParts(try ClientStore())
        let client = Client(over: shared.store, as: shared.parts)
        #expect(try client.call("POST", "/v1/sessions", #"{"id":"a"}"#).status == 201)
        func opening(_ target: String) throws -> StreamOpening? {
            try client.opening(Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        }
        shared.reading = StoreProgress(parts: (read: 3, all: 16), messages: (read: 5, all: 9))
        let ready = try client.call("GET", "/readyz")
        #expect(ready.status == 503 && ready.problem == "store-unavailable")
        #expect(ready.text.contains("It has read 3 of 16 shards of the shared store, and 5 of 9"))
        #expect(ready.text.contains(#""store-read":"failed""#))
        // Requests that need all of the store are refused, and the others are served.
        for target in ["/v1/events", "/v1/events?label=a:b", "/v1/backup"] {
            let refused = try client.call("GET", target)
            #expect(refused.status == 503 && refused.problem == "store-unavailable", "\(target)")
            #expect(refused.text.contains("has not read this part of the store yet"))
        }
        #expect(try client.call("GET", "/livez").status == 200)
        #expect(try client.call("GET", "/v1/sessions/a").status == 200)
        #expect(try opening("/v1/events?session=a") != nil)
        shared.reading = nil
        client.service.storeIsRead()
        #expect(try client.call("GET", "/readyz").text == "ok\n")
        // The changes in the meantime were not told, so a stream that continues has a gap.
        let first = try #require(try opening("/v1/events?after=0")?.events.first)
        #expect(String(decoding: first.data, as: UTF8.self).contains(#""gap":true"#))
    }

    @Test func `metrics are at their own address alone if they have one`() throws {
        let client = try Client()
        client.service.environment.metrics = { Array("up 1\n".utf8) }
        #expect(try client.call("GET", "/metrics").text == "up 1\n")
        var options = ServiceOptions()
        options.hasMetricsAddress = true
        let other = try Client(options: options)
        let elsewhere = try other.call("GET", "/metrics")
        #expect(elsewhere.problem == "not-found" && elsewhere.text.contains("--metrics-listen"))
    }

    @Test(arguments: [
        "/livez", "/readyz", "/metrics", "/", "/docs", "/openapi.yaml", "/problems/not-found",
    ])
    func `pages and probes ignore what is not for them in the query`(target: String) throws {
        let client = try Client()
        client.service.environment.metrics = { Array("up 1\n".utf8) }
        let plain = try client.call("GET", target)
        for query in ["utm_source=mail&utm_source=x", "x=%zz", "fbclid", "&&="] {
            let answer = try client.call("GET", "\(target)?\(query)")
            #expect(answer.status == plain.status && answer.text == plain.text, "\(query)")
        }
        #expect(plain.status == 200 || plain.problem == "not-found")
        let listed = try client.call("GET", "/livez?a=b&verbose=1&verbose")
        #expect(listed.text == "[+]loop ok\nlivez check passed\n")
        #expect(try client.call("GET", "/v1/sessions?utm_source=x").status == 422)
    }
}
