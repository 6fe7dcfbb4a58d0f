import HTTP
import TestSupport
import Testing

/// Good messages with a few bytes changed, from the seed of the run. Whatever comes: a request or
/// a typed refusal, never a trap, and the same one however the bytes are cut.
@Suite struct FuzzTests {
    private let seeds = [
        get("Accept: text/html;q=0.5, */*", "If-Match: \"a\"", "If-Match: W/\"b\""),
        wire("POST http://h:1/p?q HTTP/1.1", "Host: [::1]:80", "Content-Length: 5", body: "hello"),
        wire(
            "PUT / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked", "Expect: 100-continue",
            body: "5;x=\"y\"\r\nhello\r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\n"),
        "\r\nOPTIONS * HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
    ]
    private let pieces = [
        "\r", "\n", "\r\n", "\0", " ", "\t", ":", ";", "\"", "\\", "0", "F", "FFFFFFFFFFFFFFFF",
        "-",
        "chunked", "\r\n\r\n", "Host: b\r\n", "Content-Length: 1\r\n", "\u{212A}", "%", "HTTP/1.1",
        "Transfer-Encoding: chunked\r\n", "99999999999999999999", "/", "?", "[", "]", "@", "*",
    ]

    private func mutated(_ message: [UInt8], _ dice: inout SplitMix64) -> [UInt8] {
        var bytes = message
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            let place = Int.random(in: 0...bytes.count, using: &dice)
            let end = min(bytes.count, place + Int.random(in: 0...4, using: &dice))
            switch Int.random(in: 0..<4, using: &dice) {
            case 0:
                bytes.insert(contentsOf: dice.one(of: pieces).utf8, at: place)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            default:
                if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &dice) }
            }
        }
        return bytes
    }

    @Test(.seeded) func `modified messages have the same result however they are split`() {
        var dice = SplitMix64()
        var tally = (requests: 0, refusals: 0)
        for _ in 0..<4_000 {
            let message = mutated(Array(dice.one(of: seeds).utf8), &dice)
            let expected = whole(message)
            let cuts = (0..<3).map { _ in Int.random(in: 0...message.count, using: &dice) }.sorted()
            let inPieces = parsed(message, cuts: cuts, ParserLimits())
            let byBytes = parsed(message, cuts: Array(message.indices), ParserLimits())
            #expect(inPieces == expected, "\(message), cut at \(cuts)")
            #expect(byBytes == expected, "\(message), byte by byte")
            guard inPieces == expected, byBytes == expected else { return }
            tally.requests += expected.summary == nil ? 0 : 1
            tally.refusals += expected.malformation == nil ? 0 : 1
        }
        #expect(tally.requests > 100 && tally.refusals > 100)
    }
}
