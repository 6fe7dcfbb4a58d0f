import Foundation
import Testing

@testable import NavstateClient

/// The standard transport, and the errors that `URLSession` has of its own.
@Suite struct URLSessionTests {
    private func response(_ challenge: String) -> String {
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\nContent-Type: text/plain"
            + "\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnope"
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["Basic realm=\"proxy\"", "Digest realm=\"proxy\", nonce=\"n\"", "Bearer"])
    func `a proxy that asks for a password has refused the request`(challenge: String) async throws
    {
        let server = try AnswerSocket(response(challenge))
        var configuration = Navstate.Configuration()
        configuration.timeout = .seconds(3600)
        for token in [nil, "secret"] {
            let navstate = Navstate(url: server.url, token: token, configuration: configuration)
            await #expect { try await navstate.session("k").back() } throws: { error in
                (error as? NavstateError)?.problem?.status == 401
            }
        }
        let request = HTTPRequest(
            method: "GET", url: server.url, fields: [:], body: nil, silenceLimit: .seconds(3600))
        let found = try await URLSessionTransport.shared.open(request)
        var body = Data()
        for try await part in found.body { body += part }
        #expect(found.status == 401 && body == Data("nope".utf8))
    }

    @Test(.timeLimit(.minutes(1)), arguments: [URLError.Code.badURL, .unsupportedURL])
    func `a URL that cannot be used is not tried again`(code: URLError.Code) async throws {
        let transport = ScriptedTransport([.failure(code), .failure(code), .silence])
        let session = try transport.navstate().session("k")
        func isUnencodable(_ error: any Error) -> Bool {
            if case NavstateError.unencodable = error { true } else { false }
        }
        await #expect { try await session.back() } throws: { isUnencodable($0) }
        #expect(await transport.requests.count == 1)
        await #expect {
            for try await _ in session.changes() {}
        } throws: {
            isUnencodable($0)
        }
        #expect(await transport.requests.count == 2)
        // Foundation gives the error another form when a task ends with it.
        let other = NSError(domain: NSURLErrorDomain, code: code.rawValue)
        #expect(isUnencodable(NavstateError(other)))
    }

    #if os(Linux)
        /// The library's page says so.
        @Test func `Foundation on Linux does not accept IPv6 addresses`() async throws {
            let url = try #require(URL(string: "http://[::1]:1/"))
            await #expect { try await Navstate(url: url).session("k").back() } throws: { error in
                if case NavstateError.unencodable = error { true } else { false }
            }
        }
    #endif
}
