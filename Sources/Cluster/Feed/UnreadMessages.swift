/// The messages of a stream that a node knows before its feed has delivered them: those that were
/// acknowledged to it, and those that the stream's leader has shown.
///
/// Servers that go back in time give the numbers of what they have lost to other messages. If all
/// that the feed had delivered was stored before, only these messages show it: the stream ends
/// before one of them, or the feed delivers another one with its number.
struct UnreadMessages {
    /// The stream sequence of the last message that the feed has delivered.
    private var delivered = 0
    /// In the order of the numbers. Of many, some in between are missing.
    private var messages: [(number: Int, writer: WriteID)] = []

    /// A feed that is alive is behind by less. One that is not may be for a long time.
    private static let countMax = 4_096

    /// The stream sequence of the last message, or 0.
    var last: Int { messages.last?.number ?? 0 }

    /// Adds a message, unless the feed has passed it.
    mutating func add(_ number: Int, by writer: WriteID) {
        guard number > delivered else { return }
        if messages.count == Self.countMax {
            messages = messages.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        }
        let index = messages.lastIndex { $0.number < number }.map { $0 + 1 } ?? 0
        messages.insert((number, writer), at: index)
    }

    /// Removes the messages that the feed has passed.
    ///
    /// - Parameter writer: the write that made the message. Nil if it is no record.
    /// - Returns: whether another message was known to have this number.
    mutating func deliver(_ number: Int, by writer: WriteID?) -> Bool {
        delivered = max(delivered, number)
        let passed = messages.prefix { $0.number <= number }
        guard let last = passed.last else { return false }
        messages.removeFirst(passed.count)
        return last.number == number && last.writer != writer
    }
}
