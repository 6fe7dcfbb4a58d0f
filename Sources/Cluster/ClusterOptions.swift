/// How a node uses the shared store.
package struct ClusterOptions: Sendable {
    /// Where the store is.
    package var address: StoreAddress
    /// The most memory that records may take, in bytes.
    package var cacheBytes = 64 << 20
    /// How long a change or a read may wait for the store, in milliseconds. An election of a
    /// stream's leader takes four to nine seconds.
    package var timeoutMilliseconds: Int64 = 10_000

    package init(address: StoreAddress) { self.address = address }
}
