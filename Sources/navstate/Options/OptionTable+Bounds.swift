internal import API
internal import Bytes
internal import HTTP
internal import Navigation
internal import Server

// The rows of limits and timeouts.

extension Option {
    static let limitOptions: [Option] = [
        Option(
            "connections-max", .count(1...1_000_000), sets: \.server.connectionsMax,
            meaning: "maximum number of open connections",
            details: """
                At the limit the server closes an open connection to make room for a new one: an
                idle one if there is any, otherwise a request that has been arriving for more than 2
                s, a response that is read slowly, a waiting read, or a stream, in this order.
                Clients of waiting reads and streams are answered and can reconnect. If no
                connection can be closed, new ones wait in the kernel's queue.

                The server raises its limit of file descriptors as far as it is allowed to, and
                accepts fewer connections if that is not enough.
                """),
        addressConnections,
        Option(
            "buffered-max", .memory(1 << 20...64 << 30), sets: \.memory.bufferedBytes,
            meaning: "memory for the buffers of all connections; auto is at most 256MiB",
            details: """
                Requests that are still arriving, and responses and events that clients have not
                read yet, share this memory. An event that is sent to several clients counts once.
                At the limit the server disconnects the clients that hold the most for the longest.
                auto is an eighth of the memory limit of the cgroup, between 2MiB and 256MiB.
                """),
        Option(
            "body-max", .size(1 << 10...1 << 30), sets: \.server.parser.bodyBytesMax,
            meaning: "maximum size of a request body; larger gives 413",
            details: """
                Raise it together with --session-max if sessions are restored with PUT, or for large
                apps and batches.
                """),
        Option(
            "header-max", .size(1 << 10...1 << 20), sets: \.server.parser.headBytesMax,
            meaning: "maximum size of all header fields of a request together; larger gives 431",
            details: """
                The request line is not included. Raise it only if a proxy adds many fields.
                """),
        Option(
            "field-max", .size(256...1 << 20), sets: \.server.parser.fieldLineBytesMax,
            meaning: "maximum size of a single header field; larger gives 431",
            details: """
                It cannot be larger than --header-max. Large cookies and tokens usually come close
                to it.
                """),
        Option(
            "fields-max", .count(8...10_000), sets: \.server.parser.fieldsMax,
            meaning: "maximum number of header fields of a request; more gives 431",
            details: """
                Trailer fields of a chunked body are counted separately.
                """),
        Option(
            "target-max", .size(256...1 << 16), sets: \.server.targetBytesMax,
            meaning: "maximum length of the path and query of a request; longer gives 414",
            details: """
                Long queries come from lists that are filtered by many labels, and from streams that
                name many sessions.
                """),
        Option(
            "session-max", .size(1 << 10...64 << 20), sets: \.server.service.limits.sessionBytesMax,
            meaning: "maximum size of a session as JSON; larger gives 422",
            details: """
                Every change writes the whole session to the log, so large sessions make changes
                slower. A command that would exceed the limit is refused and changes nothing, unless
                it only removes screens.
                """),
        Option(
            "params-max", .size(64...16 << 20), sets: \.server.service.limits.paramsBytesMax,
            meaning: "maximum size of the params of one entry as JSON; larger gives 422",
            details: """
                It cannot be larger than --session-max. Params should identify the content of a
                screen, not contain it.
                """),
        Option(
            "path-depth-max", .count(1...100_000), sets: \.server.service.limits.pathDepthMax,
            meaning: "maximum number of entries on one path; more gives 422",
            details: """
                The root is not counted. A client that pushes in a loop reaches this limit first.
                """),
        Option(
            "tabs-max", .count(1...1_000), sets: \.server.service.limits.tabsMax,
            meaning: "maximum number of tabs of a session or an app; more gives 422",
            details: """
                Phones show five at a time; large screens may have more.
                """),
        Option(
            "sheets-max", .count(1...1_000), sets: \.server.service.limits.sheetsMax,
            meaning: "maximum number of stacked sheets; more gives 422",
            details: """
                Full-screen covers are counted too.
                """),
        Option(
            "labels-max", .count(0...1_000), sets: \.server.service.limits.labelsMax,
            meaning: "maximum number of labels of a session; more gives 422",
            details: """
                Labels are for finding sessions in lists and streams. Every change of a session
                writes them again.
                """),
        Option(
            "label-size-max", .size(1...64 << 10), sets: \.server.service.limits.labelBytesMax,
            meaning: "maximum size of the value of a label; larger gives 422",
            details: """
                It counts bytes of UTF-8. The name of a label has at most 64 characters.
                """),
        Option(
            "badge-max", .size(1...4 << 10), sets: \.server.service.limits.badgeBytesMax,
            meaning: "maximum size of the text of a badge; larger gives 422",
            details: """
                It counts bytes of UTF-8, so an emoji counts four or more.
                """),
        Option(
            "batch-max", .count(1...10_000), sets: \.server.service.limits.batchCommandsMax,
            meaning: "maximum number of commands in a batch; more gives 422",
            details: """
                A batch is applied as a whole while other requests wait, so put only commands that
                belong together into one batch.
                """),
        Option(
            "key-max", .size(16...4 << 10), sets: \.server.service.limits.keyBytesMax,
            meaning: "maximum length of an Idempotency-Key; longer gives 422",
            details: """
                A UUID has 36 characters, so there is rarely a reason to change it.
                """),
        Option(
            "nesting-max", .count(Limits.nestingRange), sets: \.server.service.limits.nestingMax,
            meaning: "maximum nesting depth of arrays and objects; deeper gives 400",
            details: """
                It applies to every request body, including the schemas of an app. The body of a
                restore may have four levels more, since params are deeper in a session than in a
                command.
                """),
    ]

    private static let addressConnections = Option(
        "connections-per-address",
        OptionValue<Int>.count(1...9_999_999).orAuto("a number from 1 to 9999999"),
        sets: \.server.addressConnectionsMax,
        meaning: "maximum number of open connections of one client address; more get 429",
        details: """
            IPv6 clients are counted by /64 network. Connections from this machine, over loopback or
            a Unix domain socket, are not limited, so a reverse proxy on the same machine needs no
            change. If a proxy runs on another machine or in another container, all clients share
            its address: set this to as many connections as the proxy opens. auto is a quarter of
            the connections that the server accepts, and at least 512.
            """)

    static let timeoutOptions: [Option] = [
        Option(
            "head-timeout", .duration(1...3_600_000), sets: \.server.deadlines.headMilliseconds,
            meaning: "time limit for receiving the head of a request; then 408",
            details: """
                It counts from the first byte of the request and is not extended by further bytes,
                so that a client cannot occupy a connection by sending its head slowly.
                """),
        Option(
            "body-timeout", .duration(1...3_600_000), sets: \.server.deadlines.bodyMilliseconds,
            meaning: "time limit for receiving a body, longer at --body-rate-min; then 408",
            details: """
                It counts from the end of the head. A large body may take longer, as long as it
                arrives at --body-rate-min on average.
                """),
        Option(
            "body-rate-min", .size(1...1 << 30), sets: \.server.bodyRateMin,
            meaning: "minimum transfer rate of a body per second; see --body-timeout",
            details: """
                The time limit of a body grows by one second for each such amount received. The
                default is a tenth of a slow mobile uplink.
                """),
        Option(
            "idle-timeout", .duration(1...86_400_000), sets: \.server.deadlines.idleMilliseconds,
            meaning: "how long to keep an idle connection open",
            details: """
                It applies between requests and before the first one. If a proxy is in front, set it
                to more than the time for which the proxy keeps idle connections, so that the proxy
                never sends a request on a connection that is being closed.
                """),
        Option(
            "write-timeout", .duration(1...3_600_000), sets: \.server.deadlines.writeMilliseconds,
            meaning: "how long a client may read nothing before its connection is closed",
            details: """
                It applies while a response or an event is waiting to be read. The connection is
                reset, because a client that reads nothing would not see an error message either.
                """),
    ]
}

extension ServerOptions {
    /// With the request line that it needs.
    fileprivate var targetBytesMax: Int {
        get { parser.targetBytesMax }
        set {
            parser.targetBytesMax = newValue
            parser.requestLineBytesMax = newValue + 256
        }
    }

    fileprivate var bodyRateMin: Int {
        get { Int(clamping: deadlines.bodyBytesPerSecondMin) }
        set { deadlines.bodyBytesPerSecondMin = Int64(newValue) }
    }
}
