import Foundation
import NavstateClient
import TestSupport

/// A network that loses requests, answers and streams, by a seed.
actor FlakyTransport: Transport {
    private let transport: any Transport
    private var random: SplitMix64
    private var isBroken = true
    private(set) var lost = 0

    init(_ transport: any Transport, stream: UInt64) {
        self.transport = transport
        random = SplitMix64(stream: stream)
    }

    /// From now on nothing is lost.
    func repair() { isBroken = false }

    func open(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fate = isBroken ? random.below(6) : 5
        if fate == 0 { throw lose() }
        let response = try await transport.open(request)
        // The server has done it, and nobody hears of it.
        if fate == 1 { throw lose() }
        guard isBroken, request.fields["Accept"] == "text/event-stream" else { return response }
        return cut(response, after: 1 + random.below(8))
    }

    private func lose() -> URLError {
        lost += 1
        return URLError(.networkConnectionLost)
    }

    private func cut(_ response: HTTPResponse, after count: Int) -> HTTPResponse {
        lost += 1
        let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream()
        let task = Task {
            var left = count
            do {
                for try await part in response.body {
                    parts.yield(part)
                    left -= 1
                    if left == 0 { throw URLError(.networkConnectionLost) }
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
