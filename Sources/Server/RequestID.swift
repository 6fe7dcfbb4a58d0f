internal import Bytes
internal import HTTP

/// The id that identifies a request in the logs of several programs.
enum RequestID {
    /// The client's `X-Request-Id`, or the trace of its `traceparent`; nil without either.
    static func of(_ request: Request) -> String? {
        if let range = request[.xRequestID], (1...128).contains(range.count),
            request.bytes[range].allSatisfy(isPlain)
        {
            return request.text(range)
        }
        return request[.traceparent].flatMap { trace(request.bytes[$0]) }
    }

    /// The trace id of `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; nil if the field
    /// is malformed (W3C Trace Context §3.2).
    private static func trace(_ bytes: ArraySlice<UInt8>) -> String? {
        let parts = bytes.split(separator: 0x2D, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].count == 2, parts[1].count == 32, parts[2].count == 16,
            parts[3].count == 2, parts.prefix(4).joined().allSatisfy(isHexadecimal),
            !parts[0].elementsEqual("ff".utf8), parts[1].contains(where: { $0 != 0x30 })
        else { return nil }
        return String(decoding: parts[1], as: UTF8.self)
    }

    /// Whether the byte needs no escaping in any log format.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D...0x2F, 0x3A, 0x3D, 0x5F, 0x7E:
            true
        default: false
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        Hexadecimal.lowercaseValue(byte) != nil
    }

    /// Sixteen digits that differ for all requests of a process and, almost certainly, for those of
    /// other processes.
    static func text(_ seed: UInt64, _ number: UInt64) -> String {
        var mixed = (seed &+ number) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 32
        let digits = String(mixed, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
