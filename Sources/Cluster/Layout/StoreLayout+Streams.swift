internal import NATS

extension StoreLayout {
    /// The configurations of all streams of a new store. The stream for apps and facts is the last.
    ///
    /// - Parameters:
    ///   - replicas: how many servers keep each message.
    ///   - firstNumber: the sequence of each stream's first message, or 0 for the default.
    func streams(replicas: Int, firstNumber: Int = 0) -> [StreamConfig] {
        let shards = (0..<shardCount).map { shard in
            StreamConfig(
                name: stream(shard), subjects: [subjects(shard)], replicas: replicas,
                messagesPerSubjectMax: SessionCell.recordsMax,
                messageBytesMax: Self.messageBytesMax, firstSequence: firstNumber)
        }
        let control = StreamConfig(
            name: controlStream, subjects: [controlSubjects], replicas: replicas,
            messagesPerSubjectMax: Self.appRecordsMax, messageBytesMax: Self.messageBytesMax,
            firstSequence: firstNumber)
        return shards + [control]
    }

    /// How many messages the stream keeps of each app. The last one is enough to read an app. The
    /// others show a node that was not the first to change the app whose change came first, also
    /// when several nodes store the same app at their start.
    static let appRecordsMax = 16
    /// The maximum size of a message with its headers, in bytes.
    static let messageBytesMax = 2 << 20
}
