internal import Bytes
internal import Cluster

// The rows about a store that several servers share.

extension Option {
    static let sharedStoreOptions: [Option] = [
        store,
        Option(
            "reads", .choice("recent", "quorum"), sets: \.sharedStore.readsFromQuorum,
            meaning: "with --store: whether a read may miss the last changes made at other servers",
            details: """
                With recent, a server answers reads from its memory, which other servers' changes
                reach within milliseconds. If the NATS server that it uses is cut off from the
                others, its reads may be up to 20 seconds old. With quorum, the server first asks
                the store, so a read shows every change that was acknowledged before the read
                arrived, at any server. That costs a round trip to a majority of the store's
                servers.
                """),
        Option(
            "store-timeout", .duration(1_000...60_000), sets: \.sharedStore.timeoutMilliseconds,
            meaning: "with --store: how long a change or a read may wait for the store, then 503",
            details: """
                When a server of the store fails, its streams choose new leaders, which takes four
                to nine seconds; changes wait for that. A change that is not decided in time gets
                503 store-unavailable. It may still be kept; a request that is repeated with the
                same Idempotency-Key has one effect. A change that waits for another one of the
                same session may take twice this time.
                """),
        Option(
            "replicas", .count(1...5), sets: \.sharedStore.replicas,
            meaning: "with --store: how many of the store's servers keep each change",
            details: """
                store init creates streams with this number of replicas, and a server refuses to
                start if a stream has fewer. With 3, one server of the store can fail without any
                loss. With 1, a lost disk loses its changes.
                """),
        Option(
            "shards", .count(StoreLayout.shardCounts), sets: \.sharedStore.shards,
            meaning: "store init and restore: the number of streams over which sessions are spread",
            details: """
                It cannot be changed later, except by a restore into another store. One stream takes
                some thousand changes per second and up to a million sessions. With more than 64,
                /v1/events is refused, and clients follow each session by its own stream.
                """),
        Option(
            "monitor",
            list: .text(.text("URL")) { $0.hasPrefix("http://") && $0.utf8.count > 7 },
            sets: \.sharedStore.monitors,
            meaning: "with --store: monitoring address of a NATS server; may be repeated",
            details: """
                Give the address of each server of the store, such as http://10.0.0.1:8222. navstate
                asks there whether the server syncs each change to its disk (sync_interval: always),
                which it cannot see otherwise. It refuses to start if one does not, and store check
                reports it. A server that cannot be asked is only reported.
                """),
        isConfirmed,
    ]

    /// A variable that is always set would take the question away.
    private static let isConfirmed = Option(
        "yes", .flag, sets: \.sharedStore.isConfirmed,
        meaning: "store delete: delete the store without asking",
        details: """
            Without it, store delete asks for the prefix of the store, which it reads from standard
            input.
            """
    ).with { $0.hasVariable = false }

    private static let store: Option = {
        var option = Option(
            "store", .text("nats://HOST:PORT[,HOST:PORT][/NAME]"),
            meaning: "shared store of several servers, in place of --data",
            details: """
                The store is in streams of NATS JetStream, and any number of servers can use it at
                the same time: each serves every session. Create it with navstate store init. The
                value names the NATS servers, with a user and a password or a token if they ask for
                them (nats://USER:PASSWORD@HOST), and the prefix of the streams' names, which is NAV
                if it is omitted. Name all of the servers: others, which these may announce, are not
                connected to. Use NAVSTATE_STORE_FILE if it contains a password. Of the options of
                the section Storage, only --cache then has an effect.
                """
        ) { configuration in
            configuration.sharedStore.addressText.map { [$0] } ?? []
        } write: { configuration, texts in
            do throws(StoreAddress.ParseError) {
                configuration.sharedStore.address = try StoreAddress(texts[0])
                configuration.sharedStore.addressText = texts[0]
                return nil
            } catch {
                return "is not the address of a store. \(error.message)"
            }
        }
        option.isSecret = true
        return option
    }()
}
