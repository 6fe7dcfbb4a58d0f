import API
import HTTP
import Testing

/// The answer of `GET /v1`.
@Suite struct ContractOperationsTests {
    @Test func `a client learns the contract, the version and the features, in this order`() throws
    {
        var options = ServiceOptions()
        options.version = "9.8.7"
        let answer = try Client(options: options).call("GET", "/v1")
        #expect(answer.status == 200)
        let features = Contract.Feature.allCases.map { "\"\($0.rawValue)\"" }
        #expect(
            answer.text
                == #"{"contract":"1.2","version":"9.8.7","features":["#
                + features.joined(separator: ",") + "]}")
    }

    @Test func `features are in alphabetical order`() {
        let names = Contract.Feature.allCases.map(\.rawValue)
        #expect(names == names.sorted())
    }

    @Test func `an unknown query parameter, method and media type are refused`() throws {
        let client = try Client()
        #expect(try client.call("GET", "/v1?verbose").problem == "invalid-request")
        #expect(try client.call("POST", "/v1").problem == "method-not-allowed")
        #expect(try client.call("GET", "/v1", nil, ["Accept": "text/html"]).status == 406)
    }

    @Test func `no token is needed`() throws {
        var options = ServiceOptions()
        try options.tokens.add(secret: Array("0123456789abcdef0123456789abcdef".utf8))
        let client = try Client(options: options)
        #expect(try client.call("GET", "/v1").status == 200)
        #expect(try client.call("GET", "/v1/apps").status == 401)
    }
}
