/// The sequences of messages in a stream.
enum StreamSequence {
    /// Those that are accepted; a server that names another one is wrong. A stream that stores
    /// 100,000 messages per second reaches the last one after 2,700 years.
    static let range = 1...1 << 43 - 1
}
