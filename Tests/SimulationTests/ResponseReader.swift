/// Reads answers of HTTP/1.1 as their bytes come.
struct ResponseReader {
    struct Head {
        var status: Int
        /// The entity tag with its quotes.
        var tag: String?
        var closes = false
        var isChunked = false
        var length = 0

        /// The number of the record at the end of an entity tag.
        var record: Int? {
            tag.flatMap { tag in
                tag.lastIndex(of: "-").flatMap { Int(tag[tag.index(after: $0)...].dropLast()) }
            }
        }
    }

    enum Part {
        case head(Head)
        case data([UInt8])
        case end
    }

    private enum Phase {
        case head
        case length(left: Int)
        case chunkSize
        case chunk(left: Int)
        case trailer
        case end
    }

    private var bytes: [UInt8] = []
    private var start = 0
    private var phase = Phase.head
    /// Why the bytes are no answer.
    private(set) var fault: String?

    /// Bytes of an answer have come, and not all of them.
    var isInAnswer: Bool {
        if case .head = phase { return start < bytes.count }
        return true
    }

    mutating func append(_ more: ArraySlice<UInt8>) {
        bytes.removeSubrange(..<start)
        start = 0
        bytes += more
    }

    /// The next part, or nil until more bytes come.
    mutating func next() -> Part? {
        while fault == nil {
            switch phase {
            case .head: return head()
            case .length(let left):
                let count = min(left, bytes.count - start)
                guard count > 0 || left == 0 else { return nil }
                phase = count == left ? .end : .length(left: left - count)
                if count > 0 { return .data(take(count)) }
            case .chunkSize:
                guard let line = line() else { return nil }
                guard let size = Int(line, radix: 16) else {
                    fault = "a chunk of size \(line)"
                    return nil
                }
                phase = size == 0 ? .trailer : .chunk(left: size)
            case .trailer:
                guard line() != nil else { return nil }
                phase = .end
            case .chunk(let left):
                let count = min(left, bytes.count - start)
                guard count > 0 || left == 0 else { return nil }
                if count > 0 {
                    phase = .chunk(left: left - count)
                    return .data(take(count))
                }
                guard line() != nil else { return nil }
                phase = .chunkSize
            case .end:
                phase = .head
                return .end
            }
        }
        return nil
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        start += count
        return Array(bytes[start - count..<start])
    }

    /// A line without its end, or nil until all of it is there.
    private mutating func line() -> String? {
        guard let end = bytes[start...].firstIndex(of: 0x0A) else { return nil }
        defer { start = end + 1 }
        return String(decoding: bytes[start..<max(start, end - 1)], as: UTF8.self)
    }

    private mutating func head() -> Part? {
        let begun = start
        guard let first = line() else { return nil }
        var head = Head(status: Int(first.dropFirst(9).prefix(3)) ?? 0)
        while let line = line() {
            if line.isEmpty {
                if head.isChunked {
                    phase = .chunkSize
                } else {
                    phase = .length(left: head.length)
                }
                guard head.status >= 200 else {
                    fault = "an answer that begins with \(first)"
                    return nil
                }
                return .head(head)
            }
            if line.hasPrefix("ETag: ") { head.tag = String(line.dropFirst(6)) }
            if line.hasPrefix("Content-Length: ") { head.length = Int(line.dropFirst(16)) ?? 0 }
            if line.hasPrefix("Transfer-Encoding: ") { head.isChunked = true }
            if line.hasPrefix("Connection: close") { head.closes = true }
        }
        start = begun
        return nil
    }
}

extension Array<UInt8> {
    /// Where the text begins, at or after a place.
    func place(of text: StaticString, from: Int = 0) -> Int? {
        let wanted = Array(text.description.utf8)
        var place = from
        while place + wanted.count <= count {
            var length = 0
            while length < wanted.count, self[place + length] == wanted[length] { length += 1 }
            if length == wanted.count { return place }
            place += 1
        }
        return nil
    }

    /// The number that comes after the text.
    func number(after text: StaticString, from: Int = 0) -> Int? {
        guard let place = place(of: text, from: from) else { return nil }
        var (index, number) = (place + text.utf8CodeUnitCount, 0)
        let first = index
        while index < count, (0x30...0x39).contains(self[index]) {
            number = number * 10 + Int(self[index] - 0x30)
            index += 1
        }
        return index > first ? number : nil
    }
}
