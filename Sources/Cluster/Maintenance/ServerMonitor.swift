internal import Bytes
internal import JSON
internal import NATS
internal import POSIX

/// The monitoring page of a server. It is the only place where a server says whether it syncs what
/// it acknowledges to its disk.
enum ServerMonitor {
    private static let milliseconds: Int64 = 5_000
    private static let bytesMax = 1 << 20

    /// Why a page cannot be read.
    enum Failure: Error, Equatable {
        /// The text is not `http://HOST` or `http://HOST:PORT`.
        case address
        case unknownHost
        case timeout
        /// The answer is not HTTP with status 200, or is too long.
        case answer
        case system(SystemError)
    }

    /// The faults of the server at a monitoring address, as sentences.
    static func faults(at address: String) -> [String] {
        do throws(Failure) {
            return faults(in: try page(at: address), at: address)
        } catch {
            return [sentence(error, about: address)]
        }
    }

    /// Asks servers whether they sync each change.
    ///
    /// - Returns: which ones cannot be asked, as sentences.
    /// - Throws: `notSynced` if one says that it does not.
    static func requireSyncs(at addresses: [String]) throws(StoreOpenError) -> [String] {
        var unknown: [String] = []
        for address in addresses {
            let page: [UInt8]
            do throws(Failure) { page = try self.page(at: address) } catch {
                unknown.append(sentence(error, about: address))
                continue
            }
            if let fault = faults(in: page, at: address).first { throw .notSynced(fault) }
        }
        return unknown
    }

    private static func sentence(_ failure: Failure, about address: String) -> String {
        let reason =
            switch failure {
            case .address: "an address is http://HOST:PORT"
            case .unknownHost: "the host is unknown"
            case .timeout: "it does not answer in time"
            case .answer: "it does not answer with a page of a NATS server"
            case .system(let error): error.description
            }
        return "the monitoring address \(address) cannot be read: \(reason)"
    }

    private static func page(at address: String) throws(Failure) -> [UInt8] {
        guard let page = body(of: try get(address)) else { throw .answer }
        return page
    }

    /// The faults, by the text of the page.
    static func faults(in page: [UInt8], at address: String) -> [String] {
        guard case .object(let members)? = try? JSON(parsing: page),
            case .string(let version)? = members["version"]
        else { return ["\(address) is not the monitoring address of a NATS server"] }
        guard case .object(let jetStream)? = members["jetstream"],
            case .object(let config)? = jetStream["config"]
        else { return ["the server at \(address) does not offer JetStream"] }
        guard config["sync_always"] == .bool(true) else {
            return [
                "the server at \(address) (version \(version)) does not sync each change to its "
                    + "disk; set sync_interval: always in its section jetstream, or a crash of "
                    + "several servers loses acknowledged changes"
            ]
        }
        return []
    }

    // MARK: HTTP

    /// The body of the page `/varz`.
    private static func get(_ text: String) throws(Failure) -> [UInt8] {
        guard let server = server(text) else { throw .address }
        let request = Array("GET /varz HTTP/1.0\r\nHost: \(server)\r\n\r\n".utf8)
        do throws(SystemError) {
            let epoll = try Epoll()
            var route = Route(epoll: epoll, token: 1)
            try route.begin(to: server)
            var (sent, page) = (0, [UInt8]())
            var events: [Epoll.Event] = []
            let deadline = Clock.monotonicMilliseconds + milliseconds
            while true {
                let left = deadline - Clock.monotonicMilliseconds
                guard left > 0 else { break }
                try epoll.wait(into: &events, timeoutMilliseconds: Int(left))
                guard try route.proceed(), let socket = route.socket else { continue }
                while sent < request.count {
                    guard let count = try socket.send(request, sent..<request.count) else { break }
                    sent += count
                }
                if try receive(from: socket, into: &page) { return page }
            }
        } catch {
            throw error.number == SystemError.notFound ? .unknownHost : .system(error)
        }
        throw .timeout
    }

    /// Reads what has arrived.
    ///
    /// - Returns: whether the page is complete, or too long.
    private static func receive(
        from socket: FileDescriptor, into page: inout [UInt8]
    ) throws(SystemError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while page.count < bytesMax {
            guard let count = try socket.receive(into: &buffer, buffer.indices) else {
                return false
            }
            guard count > 0 else { return true }
            page += buffer[..<count]
        }
        return true
    }

    /// The server of a monitoring address, whose usual port is 8222.
    static func server(_ text: String) -> ServerAddress? {
        guard text.hasPrefix("http://") else { return nil }
        var name = text.dropFirst("http://".count)
        if let slash = name.firstIndex(of: "/") {
            guard ["/", "/varz"].contains(String(name[slash...])) else { return nil }
            name = name[..<slash]
        }
        let hasPort = !name.hasSuffix("]") && name.contains(":")
        return ServerAddress(hasPort ? String(name) : "\(name):8222")
    }

    /// The body of an answer with status 200.
    static func body(of answer: [UInt8]) -> [UInt8]? {
        let end = Array("\r\n\r\n".utf8)
        guard answer.count < bytesMax, answer.starts(with: "HTTP/1.".utf8),
            answer.dropFirst(8).starts(with: " 200".utf8),
            let head = answer.firstRange(of: end)
        else { return nil }
        return Array(answer[head.upperBound...])
    }
}
