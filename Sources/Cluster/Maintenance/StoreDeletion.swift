internal import NATS

/// Deletes the streams of a store, for `navstate store delete`.
package enum StoreDeletion {
    /// Deletes all streams that a store has, also those of one that was never finished. It may be
    /// called again if it was interrupted.
    ///
    /// - Parameters:
    ///   - shardCount: how many shards are looked for at least.
    ///   - milliseconds: how long the servers may take for one step.
    /// - Returns: the names of the streams that were deleted.
    package static func run(
        _ address: StoreAddress, shardCount: Int, within milliseconds: Int64
    ) throws(StoreOpenError) -> [String] {
        try run(address, shardCount: shardCount, within: milliseconds, .process)
    }

    /// The same with surroundings that may not be those of the process.
    static func run(
        _ address: StoreAddress, shardCount: Int, within milliseconds: Int64,
        _ surroundings: EngineSurroundings
    ) throws(StoreOpenError) -> [String] {
        var opening = try StoreOpening(address, within: milliseconds, surroundings)
        // Without its description no node opens the store, so the stream that has it goes first.
        // The others go from the last one on, so that what is left of them has no gaps.
        let streams = try opening.existingStreams(atLeast: shardCount)
        for stream in streams where !stream.isOfStore {
            throw .streamDiffers(stream.name.text, settings: ["subjects"])
        }
        for stream in streams.reversed() {
            opening.prolong(by: milliseconds)
            try opening.delete(stream.name)
        }
        return streams.map(\.name.text)
    }
}
