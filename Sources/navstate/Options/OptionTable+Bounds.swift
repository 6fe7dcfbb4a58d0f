internal import API
internal import HTTP
internal import Navigation
internal import Server

// The rows of limits and deadlines.

extension Option {
    static let limits: [Option] = [
        count(
            "connections-max", \.server.connectionsMax, 1...1_000_000, .limits,
            "connections at the same time; more wait in the kernel's queue"),
        memory(
            "buffered-max", \.bufferedBytes, 1 << 20...64 << 30, .limits,
            "what lies in buffers for all connections; auto: 256MiB, or an eighth of the cgroup's"),
        size(
            "body-max", \.server.parser.bodyBytesMax, 1 << 10...1 << 30, .limits,
            "a request's body; beyond it 413"),
        size(
            "header-max", \.server.parser.headBytesMax, 1 << 10...1 << 20, .limits,
            "all header fields of a request together; beyond it 431"),
        size(
            "field-max", \.server.parser.fieldLineBytesMax, 256...1 << 20, .limits,
            "one header field; beyond it 431"),
        count(
            "fields-max", \.server.parser.fieldsMax, 8...10_000, .limits,
            "how many header fields a request may have; beyond it 431"),
        size(
            "target-max", \.server.targetBytesMax, 256...1 << 16, .limits,
            "a request's path and query; beyond it 414"),
        size(
            "session-max", \.server.service.limits.sessionBytesMax, 1 << 10...64 << 20, .limits,
            "one session as JSON; beyond it 422"),
        size(
            "params-max", \.server.service.limits.paramsBytesMax, 64...16 << 20, .limits,
            "the params of one entry as JSON; beyond it 422"),
        count(
            "path-depth-max", \.server.service.limits.pathDepthMax, 1...100_000, .limits,
            "entries on one path; beyond it 422"),
        count(
            "tabs-max", \.server.service.limits.tabsMax, 1...1_000, .limits,
            "tabs of one session; beyond it 422"),
        count(
            "sheets-max", \.server.service.limits.sheetsMax, 1...1_000, .limits,
            "sheets stacked over each other; beyond it 422"),
        count(
            "labels-max", \.server.service.limits.labelsMax, 0...1_000, .limits,
            "labels of one session; beyond it 422"),
        size(
            "label-size-max", \.server.service.limits.labelBytesMax, 1...64 << 10, .limits,
            "one label's value; beyond it 422"),
        size(
            "badge-max", \.server.service.limits.badgeBytesMax, 1...4 << 10, .limits,
            "a badge's text; beyond it 422"),
        count(
            "batch-max", \.server.service.limits.batchCommandsMax, 1...10_000, .limits,
            "commands of one batch; beyond it 422"),
        size(
            "key-max", \.server.service.limits.keyBytesMax, 16...4 << 10, .limits,
            "an Idempotency-Key; beyond it 422"),
        count(
            "nesting-max", \.server.service.limits.nestingMax, 8...256, .limits,
            "how deep arrays and objects stand in each other; beyond it 400"),
    ]

    static let deadlines: [Option] = [
        duration(
            "head-timeout", \.server.deadlines.headMilliseconds, 1...3_600_000, .deadlines,
            "a request's head must have come so long after its first byte; else 408"),
        duration(
            "body-timeout", \.server.deadlines.bodyMilliseconds, 1...3_600_000, .deadlines,
            "a body must have come so long after its head, or come at --body-rate-min; else 408"),
        size(
            "body-rate-min", \.server.bodyRateMin, 1...1 << 30, .deadlines,
            "how many bytes of a body a second keep it waited for"),
        duration(
            "idle-timeout", \.server.deadlines.idleMilliseconds, 1...86_400_000, .deadlines,
            "how long a connection without a request is kept"),
        duration(
            "write-timeout", \.server.deadlines.writeMilliseconds, 1...3_600_000, .deadlines,
            "a client that takes no byte for so long is dropped"),
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
