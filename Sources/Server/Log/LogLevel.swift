internal import Bytes

/// How important a line of the log is. The levels are those of swift-log.
package enum LogLevel: UInt8, CaseIterable, Comparable, Sendable {
    case trace, debug, info, notice, warning, error, critical

    /// The name in options and in the log.
    package var name: String {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .critical: "critical"
        }
    }

    /// The level with that name, if there is one.
    package init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Whether `left` is less important than `right`.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The format of the log's lines.
package enum LogFormat: String, Sendable {
    case text, json
}
