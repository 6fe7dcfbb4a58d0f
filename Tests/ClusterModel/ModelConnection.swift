import POSIX
import Testing

/// The messages of a client.
enum ModelOperation {
    case connect, ping, pong
    case subscribe(String, Int)
    case unsubscribe(Int)
    case publish(ModelPublication)
}

/// A client's connection to the model.
final class ModelConnection {
    let number: Int
    let socket: FileDescriptor
    var subscriptions: [Int: String] = [:]
    /// Whether the client has been greeted, so that it can be asked whether it has read everything.
    var isReady = false
    /// Whether the client has sent CONNECT.
    var hasBegun = false
    /// PINGs that have no PONG yet.
    var pongsOwed = 0
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var input: [UInt8] = []
    private var start = 0
    private var output: [UInt8] = []
    private var sent = 0

    init(_ number: Int, _ socket: FileDescriptor) {
        self.number = number
        self.socket = socket
    }

    /// The subscription that a message with this subject is for.
    func subscription(to subject: String) -> Int? {
        subscriptions.first { ModelSubject.matches(subject, $0.value) }?.key
    }

    func say(_ text: String) { output += Array(text.utf8) }

    func say(_ bytes: [UInt8]) { output += bytes }

    /// Sends as much as the socket takes. Returns false if the connection has ended.
    func flush() -> Bool {
        do {
            while sent < output.count {
                guard let count = try socket.send(output, sent..<output.count) else { return true }
                sent += count
            }
            (output, sent) = ([], 0)
            return true
        } catch {
            return false
        }
    }

    /// The messages that have come. Nil at the end of the connection.
    func receive() throws -> [ModelOperation]? {
        var hasEnded = false
        while !hasEnded {
            do {
                guard let count = try socket.receive(into: &buffer, 0..<buffer.count) else { break }
                hasEnded = count == 0
                input += buffer[..<count]
            } catch {
                hasEnded = true
            }
        }
        var operations: [ModelOperation] = []
        while let operation = try next() { operations.append(operation) }
        input.removeFirst(start)
        start = 0
        return hasEnded ? nil : operations
    }

    private func next() throws -> ModelOperation? {
        guard let end = input[start...].firstIndex(of: 10) else { return nil }
        let line = String(decoding: input[start..<end - 1], as: UTF8.self)
        let words = line.split(separator: " ").map(String.init)
        let verb = try #require(words.first)
        if verb == "PUB" || verb == "HPUB" {
            return try publication(words, hasHeaders: verb == "HPUB", from: end + 1)
        }
        start = end + 1
        switch verb {
        case "CONNECT": return .connect
        case "PING": return .ping
        case "PONG": return .pong
        case "SUB": return .subscribe(words[1], try #require(Int(words[2])))
        case "UNSUB": return .unsubscribe(try #require(Int(words[1])))
        default:
            Issue.record("the client said: \(line)")
            return nil
        }
    }

    private func publication(
        _ words: [String], hasHeaders: Bool, from body: Int
    ) throws -> ModelOperation? {
        let size = try #require(words.last.flatMap { Int($0) })
        guard input.count >= body + size + 2 else { return nil }
        try #require(Array(input[body + size..<body + size + 2]) == [13, 10])
        start = body + size + 2
        let numbers = hasHeaders ? 2 : 1
        let headerSize = hasHeaders ? try #require(Int(words[words.count - 2])) : 0
        return .publish(
            ModelPublication(
                subject: words[1], reply: words.count == 3 + numbers ? words[2] : nil,
                headers: Array(input[body..<body + headerSize]),
                payload: Array(input[body + headerSize..<body + size])))
    }
}
