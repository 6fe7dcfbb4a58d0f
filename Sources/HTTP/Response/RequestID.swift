internal import Bytes

/// The id that identifies a request in the logs of several programs. Every response has one.
///
/// It is made of a number and a reference, since every request copies it several times.
public struct RequestID: Sendable {
    /// The id that a client sent.
    private final class SentID: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// The number of an id that was made here; 0 for one that a client sent.
    public let number: UInt64
    private let sent: SentID?

    private init(number: UInt64, sent: SentID?) {
        self.number = number
        self.sent = sent
    }

    /// The id that the client sent.
    public static func given(_ text: String) -> RequestID {
        RequestID(number: 0, sent: SentID(text))
    }

    /// An id that was made here. It is written as 16 hexadecimal digits.
    public static func made(_ number: UInt64) -> RequestID {
        RequestID(number: number, sent: nil)
    }

    /// The client's `X-Request-Id`, or the trace of its `traceparent`. Returns nil without either.
    public init?(of request: Request) {
        guard request.head.fields.haveID else { return nil }
        if let range = request[.xRequestID], (1...128).contains(range.count),
            request.bytes[range].allSatisfy(Self.isPlain), let text = request.text(range)
        {
            self = .given(text)
        } else if let range = request[.traceparent],
            let trace = Self.trace(request.bytes[range])
        {
            self = .given(trace)
        } else {
            return nil
        }
    }

    /// The text that the client sent, or nil if the id was made here.
    public var sentText: String? { sent?.text }

    /// The id as text. No character of it needs escaping in any format.
    public var text: String { sent?.text ?? Self.digits(number) }

    private static func digits(_ number: UInt64) -> String {
        var text = ByteWriter(capacity: 16)
        text.append(hexadecimal: number, digits: 16)
        return text.string
    }

    /// The trace id of `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`, or nil if the
    /// field is malformed (W3C Trace Context §3.2).
    private static func trace(_ bytes: ArraySlice<UInt8>) -> String? {
        let parts = bytes.split(separator: 0x2D, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].count == 2, parts[1].count == 32, parts[2].count == 16,
            parts[3].count == 2, parts.prefix(4).joined().allSatisfy(isHexadecimal),
            !parts[0].elementsEqual("ff".utf8), parts[1].contains(where: { $0 != 0x30 })
        else { return nil }
        return String(decoding: parts[1], as: UTF8.self)
    }

    /// Whether the byte needs no escaping in any format.
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
}

/// Makes the ids of requests that bring none. They differ for all requests of a process and, almost
/// certainly, from those of other processes.
public struct RequestIDs: Sendable {
    private let seed: UInt64
    private var count: UInt64 = 0

    /// - Parameter seed: a random number that differs from process to process.
    public init(seed: UInt64) { self.seed = seed }

    /// A new id.
    public mutating func next() -> RequestID {
        count &+= 1
        let mixed = (seed &+ count) &* 0x9E37_79B9_7F4A_7C15
        return .made(mixed ^ mixed >> 32)
    }

    /// The id that the request brings, or a new one.
    public mutating func id(of request: Request) -> RequestID {
        RequestID(of: request) ?? next()
    }
}
