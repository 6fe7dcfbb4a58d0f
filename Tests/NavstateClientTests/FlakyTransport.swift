import Foundation
import NavstateClient
import TestSupport

/// A network that loses requests, responses and streams at random, determined by a seed.
actor FlakyTransport: Transport {
    private let transport: any Transport
    private var random: SplitMix64
    private var isBroken = true
    /// How many requests and responses were lost.
    private(set) var lost = 0
    /// How many streams were cut.
    private(set) var cut = 0
    private var count = 0

    init(_ transport: any Transport, stream: UInt64) {
        self.transport = transport
        random = SplitMix64(stream: stream)
    }

    /// Stops losing anything from now on.
    func repair() { isBroken = false }

    /// Begins to lose things again.
    func damage() { isBroken = true }

    func open(_ request: HTTPRequest) async throws -> HTTPResponse {
        let isStream = request.fields["Accept"] == "text/event-stream"
        if !isStream { count += 1 }
        var fate = isBroken ? random.below(6) : 5
        // The first response is lost whatever the seed.
        if isBroken, !isStream, count == 1 { fate = 1 }
        if fate == 0 { throw lose() }
        let response = try await transport.open(request)
        // The server has carried out the request, but the response is lost.
        if fate == 1 { throw lose() }
        guard isBroken, isStream else { return response }
        return cut(response, after: 1 + random.below(8))
    }

    private func lose() -> URLError {
        lost += 1
        return URLError(.networkConnectionLost)
    }

    private func cut(_ response: HTTPResponse, after count: Int) -> HTTPResponse {
        let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream()
        let task = Task {
            var left = count
            do {
                for try await part in response.body {
                    parts.yield(part)
                    left -= 1
                    guard left == 0 else { continue }
                    cut += 1
                    throw URLError(.networkConnectionLost)
                }
                parts.finish()
            } catch {
                parts.finish(throwing: error)
            }
        }
        parts.onTermination = { _ in task.cancel() }
        return HTTPResponse(status: response.status, fields: response.fields, body: body)
    }
}
