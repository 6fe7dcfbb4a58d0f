import HTTP
import Testing

/// A small generator with a printed seed (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Good messages with a few bytes changed, from a seed that is printed. Whatever comes: a request or
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

    private func mutated(_ message: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var bytes = message
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            let place = Int.random(in: 0...bytes.count, using: &dice)
            let end = min(bytes.count, place + Int.random(in: 0...4, using: &dice))
            switch Int.random(in: 0..<4, using: &dice) {
            case 0:
                bytes.insert(contentsOf: (pieces.randomElement(using: &dice) ?? "").utf8, at: place)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            default:
                if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &dice) }
            }
        }
        return bytes
    }

    @Test func `changed messages are requests or refusals, however they are cut`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = Dice(seed)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(1)
        var tally = (requests: 0, refusals: 0)
        while clock.now < end {
            let message = mutated(Array((seeds.randomElement(using: &dice) ?? "").utf8), &dice)
            let expected = whole(message)
            let cuts = (0..<3).map { _ in Int.random(in: 0...message.count, using: &dice) }.sorted()
            let inPieces = parsed(message, cuts: cuts, ParserLimits())
            let byBytes = parsed(message, cuts: Array(message.indices), ParserLimits())
            #expect(inPieces == expected, "seed \(seed), \(message), cut at \(cuts)")
            #expect(byBytes == expected, "seed \(seed), \(message), byte by byte")
            guard inPieces == expected, byBytes == expected else { return }
            tally.requests += expected.summary == nil ? 0 : 1
            tally.refusals += expected.malformation == nil ? 0 : 1
        }
        print("HTTP fuzzing: seed \(seed), \(tally)")
        #expect(tally.requests > 0 && tally.refusals > 0, "seed \(seed)")
    }
}
