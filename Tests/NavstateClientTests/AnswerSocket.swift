import Foundation
import Glibc
import Testing

/// A server that answers the first request of each connection with the same text.
final class AnswerSocket: Sendable {
    /// The base URL of the server.
    let url: URL
    private let listener: Int32

    init(_ answer: String) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(listener >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        try #require(isListening)
        let port = UInt16(bigEndian: address.sin_port)
        url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        Thread.detachNewThread { Self.serve(listener, answer) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ listener: Int32, _ answer: String) {
        let bytes = Array(answer.utf8)
        var request = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            _ = unsafe recv(connection, &request, request.count, 0)
            _ = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
    }
}
