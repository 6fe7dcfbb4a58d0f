internal import API
internal import Bytes
internal import HTTP
internal import Navigation
internal import Server

// The rows of limits and timeouts.

extension Option {
    static let limitOptions: [Option] = [
        count(
            "connections-max", sets: \.server.connectionsMax, in: 1...1_000_000,
            doc: OptionDoc(
                "maximum number of open connections",
                """
                At the limit the server closes an open connection to make room for a new one: an
                idle one if there is any, otherwise a request that has been arriving for more than
                2 s, a response that is read slowly, a waiting read, or a stream, in this order.
                Clients of waiting reads and streams are answered and can reconnect. If no
                connection can be closed, new ones wait in the kernel's queue.

                The server raises its limit of file descriptors as far as it is allowed to, and
                accepts fewer connections if that is not enough.
                """)),
        addressConnections,
        memory(
            "buffered-max", sets: \.memory.bufferedBytes, in: 1 << 20...64 << 30,
            doc: OptionDoc(
                "memory for the buffers of all connections; auto is at most 256MiB",
                """
                Requests that are still arriving, and responses and events that clients have not
                read yet, share this memory. A response or event that several clients are sent
                counts once. At the limit the server disconnects the clients that hold the most
                for the longest. auto is an eighth of the memory limit of the cgroup, between 2MiB
                and 256MiB.
                """)),
        size(
            "body-max", sets: \.server.parser.bodyBytesMax, in: 1 << 10...1 << 30,
            doc: OptionDoc(
                "maximum size of a request body; larger gives 413",
                """
                Raise it together with --session-max if sessions are restored with PUT, or for large
                apps and batches.
                """)),
        size(
            "header-max", sets: \.server.parser.headBytesMax, in: 1 << 10...1 << 20,
            doc: OptionDoc(
                "maximum size of all header fields of a request together; larger gives 431",
                """
                The request line is not included. Raise it only if a proxy adds many fields.
                """)),
        size(
            "field-max", sets: \.server.parser.fieldLineBytesMax, in: 256...1 << 20,
            doc: OptionDoc(
                "maximum size of a single header field; larger gives 431",
                """
                It cannot be larger than --header-max. Large cookies and tokens are what usually
                comes close to it.
                """)),
        count(
            "fields-max", sets: \.server.parser.fieldsMax, in: 8...10_000,
            doc: OptionDoc(
                "maximum number of header fields of a request; more gives 431",
                """
                Trailer fields of a chunked body are counted separately.
                """)),
        size(
            "target-max", sets: \.server.targetBytesMax, in: 256...1 << 16,
            doc: OptionDoc(
                "maximum length of the path and query of a request; longer gives 414",
                """
                Long queries come from lists that are filtered by many labels, and from streams that
                name many sessions.
                """)),
        size(
            "session-max", sets: \.server.service.limits.sessionBytesMax, in: 1 << 10...64 << 20,
            doc: OptionDoc(
                "maximum size of a session as JSON; larger gives 422",
                """
                Every change writes the whole session to the log, so large sessions make changes
                slower. A command that would exceed the limit is refused and changes nothing.
                """)),
        size(
            "params-max", sets: \.server.service.limits.paramsBytesMax, in: 64...16 << 20,
            doc: OptionDoc(
                "maximum size of the params of one entry as JSON; larger gives 422",
                """
                It cannot be larger than --session-max. Params should identify what a screen shows,
                not contain it.
                """)),
        count(
            "path-depth-max", sets: \.server.service.limits.pathDepthMax, in: 1...100_000,
            doc: OptionDoc(
                "maximum number of entries on one path; more gives 422",
                """
                The root is not counted. A client that pushes in a loop reaches this limit first.
                """)),
        count(
            "tabs-max", sets: \.server.service.limits.tabsMax, in: 1...1_000,
            doc: OptionDoc(
                "maximum number of tabs of a session or an app; more gives 422",
                """
                Phones show five at a time; large screens may have more.
                """)),
        count(
            "sheets-max", sets: \.server.service.limits.sheetsMax, in: 1...1_000,
            doc: OptionDoc(
                "maximum number of stacked sheets; more gives 422",
                """
                Full-screen covers are counted too.
                """)),
        count(
            "labels-max", sets: \.server.service.limits.labelsMax, in: 0...1_000,
            doc: OptionDoc(
                "maximum number of labels of a session; more gives 422",
                """
                Labels are for finding sessions in lists and streams. Every change of a session
                writes them again.
                """)),
        size(
            "label-size-max", sets: \.server.service.limits.labelBytesMax, in: 1...64 << 10,
            doc: OptionDoc(
                "maximum size of the value of a label; larger gives 422",
                """
                It counts bytes of UTF-8. The name of a label has at most 64 characters.
                """)),
        size(
            "badge-max", sets: \.server.service.limits.badgeBytesMax, in: 1...4 << 10,
            doc: OptionDoc(
                "maximum size of the text of a badge; larger gives 422",
                """
                It counts bytes of UTF-8, so an emoji counts four or more.
                """)),
        count(
            "batch-max", sets: \.server.service.limits.batchCommandsMax, in: 1...10_000,
            doc: OptionDoc(
                "maximum number of commands in a batch; more gives 422",
                """
                A batch is applied as a whole while other requests wait, so keep it to what belongs
                together.
                """)),
        size(
            "key-max", sets: \.server.service.limits.keyBytesMax, in: 16...4 << 10,
            doc: OptionDoc(
                "maximum length of an Idempotency-Key; longer gives 422",
                """
                A UUID has 36 characters, so there is rarely a reason to change it.
                """)),
        count(
            "nesting-max", sets: \.server.service.limits.nestingMax, in: Limits.nestingRange,
            doc: OptionDoc(
                "maximum nesting depth of arrays and objects; deeper gives 400",
                """
                It applies to every request body, including the schemas of an app.
                """)),
    ]

    private static let addressConnections = Option(
        "connections-per-address", .text("NUMBER|auto"),
        doc: OptionDoc(
            "maximum number of open connections of one client address; more get 429",
            """
            IPv6 clients are counted by /64 network. Connections from this machine, over loopback or
            a Unix domain socket, are not limited, so a reverse proxy on the same machine needs no
            change. If a proxy runs on another machine or in another container, all clients share
            its address: set this to as many connections as the proxy opens. auto is a quarter of
            the connections that the server accepts, and at least 512.
            """)
    ) { configuration in
        [configuration.server.addressConnectionsMax.map { "\($0)" } ?? "auto"]
    } write: { configuration, texts in
        if texts[0] == "auto" {
            configuration.server.addressConnectionsMax = nil
            return nil
        }
        guard let number = Decimal.number(texts[0].utf8, digitsMax: 7), number > 0 else {
            return "must be auto or a number from 1 to 9999999"
        }
        configuration.server.addressConnectionsMax = number
        return nil
    }

    static let timeoutOptions: [Option] = [
        duration(
            "head-timeout", sets: \.server.deadlines.headMilliseconds, in: 1...3_600_000,
            doc: OptionDoc(
                "time limit for receiving the head of a request; then 408",
                """
                It counts from the first byte of the request and is not extended by further bytes,
                so that a client cannot occupy a connection by sending its head slowly.
                """)),
        duration(
            "body-timeout", sets: \.server.deadlines.bodyMilliseconds, in: 1...3_600_000,
            doc: OptionDoc(
                "time limit for receiving a body, longer at --body-rate-min; then 408",
                """
                It counts from the end of the head. A large body may take longer, as long as it
                arrives at --body-rate-min on average.
                """)),
        size(
            "body-rate-min", sets: \.server.bodyRateMin, in: 1...1 << 30,
            doc: OptionDoc(
                "minimum transfer rate of a body per second; see --body-timeout",
                """
                The time limit of a body grows by one second for each such amount received. The
                default is a tenth of a slow mobile uplink.
                """)),
        duration(
            "idle-timeout", sets: \.server.deadlines.idleMilliseconds, in: 1...86_400_000,
            doc: OptionDoc(
                "how long to keep an idle connection open",
                """
                It applies between requests and before the first one. If a proxy is in front, set it
                to more than the time for which the proxy keeps idle connections, so that the proxy
                never sends a request on a connection that is being closed.
                """)),
        duration(
            "write-timeout", sets: \.server.deadlines.writeMilliseconds, in: 1...3_600_000,
            doc: OptionDoc(
                "how long a client may read nothing before its connection is closed",
                """
                It applies while a response or an event is waiting to be read. The connection is
                reset, because a client that reads nothing would not see an error message either.
                """)),
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
