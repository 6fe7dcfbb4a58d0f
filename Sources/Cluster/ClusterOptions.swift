public import Sessions

/// How a node uses the shared store.
public struct ClusterOptions: Sendable {
    public var address: StoreAddress
    /// The most memory that records may take, in bytes.
    public var cacheBytes = 64 << 20
    /// How long a change or a read may wait for the store, in milliseconds. An election of a
    /// stream's leader takes four to nine seconds.
    public var timeoutMilliseconds: Int64 = 10_000
    public var backupFormat: any BackupFormat

    /// How many replicas the streams must have. With fewer than three, the loss of one server can
    /// lose changes.
    public var replicasMin = 3
    /// The monitoring addresses of servers, such as `http://10.0.0.1:8222`. A store is not opened
    /// if one of them says that it does not sync each change to its disk.
    public var monitors: [String] = []
    /// After how long a store that has not been read as a whole is used nevertheless, in
    /// milliseconds. Sessions of shards that have been read are served then.
    public var wholeWithin = Int64.max
    /// The copy that a read may be answered from.
    public var reads = Reads.feed

    /// The copies that a read may be answered from.
    public enum Reads: String, CaseIterable, Sendable {
        /// From what the feed has delivered. Changes that other nodes made a moment ago may be
        /// missing. A node that is cut off from the majority of the servers can be several seconds
        /// behind.
        case feed
        /// From what a majority of the servers has confirmed to be everything that was acknowledged
        /// before the request arrived. It takes one small message a stream and turn.
        case quorum
    }

    public init(address: StoreAddress, backupFormat: any BackupFormat) {
        self.address = address
        self.backupFormat = backupFormat
    }
}
