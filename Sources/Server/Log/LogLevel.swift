/// How much a line matters, by the names that swift-log gives.
package enum LogLevel: UInt8, CaseIterable, Comparable, Sendable {
    case trace, debug, info, notice, warning, error, critical

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

    package init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// How a line of the log looks.
package enum LogFormat: String, Sendable {
    case text, json
}
