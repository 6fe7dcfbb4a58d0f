internal import Bytes
public import Navigation

/// A page of the list of sessions, which is ordered by id.
public struct SessionPage: Equatable, Sendable {
    /// The sessions in the order of their ids.
    public var handles: [SessionHandle]
    /// The id after which the next page begins, or nil on the last page. A page may have fewer
    /// sessions than asked for, even none, and still not be the last one, because one call examines
    /// a bounded number of sessions and labels.
    public var next: SessionID?

    /// The maximum number of sessions that one call examines, which takes about two milliseconds.
    public static let examinedMax = 20_000

    public init(handles: [SessionHandle], next: SessionID?) {
        self.handles = handles
        self.next = next
    }
}

/// Selects sessions for a list.
public struct SessionFilter: Equatable, Sendable {
    /// The beginning of the id; empty for any.
    public var prefix: String
    /// The app that the sessions are bound to, or nil for any or none.
    public var app: AppID?
    /// Labels, all of which a session must have.
    public var labels: [Label]
    /// The route that a session must show, or nil for any. A store does not know it: the records of
    /// the sessions say it.
    public var visible: RouteName?
    /// How many seconds ago the last change of a session must have been, or nil for any.
    public var idleSeconds: Int?

    public init(
        prefix: String = "", app: AppID? = nil, labels: [Label] = [], visible: RouteName? = nil,
        idleSeconds: Int? = nil
    ) {
        self.prefix = prefix
        self.app = app
        self.labels = labels
        self.visible = visible
        self.idleSeconds = idleSeconds
    }

    /// Whether records have to be read to know which sessions are selected.
    public var needsRecords: Bool { visible != nil || idleSeconds ?? 0 > 0 }

    /// The last second in which the newest record of a session may have been made, rounded up, or
    /// nil for any. It may select sessions that were changed up to a second later than they should
    /// have been, and leaves none out.
    public func latestSecond(now: Milliseconds) -> UInt32? {
        guard let idleSeconds, idleSeconds > 0 else { return nil }
        let (time, isTooLong) = (now / 1000).subtractingReportingOverflow(Int64(idleSeconds))
        return isTooLong || time < 0 ? 0 : UInt32(clamping: time + 1)
    }

    /// Whether a session that was changed at this time has been idle for long enough.
    public func isIdle(changedAt time: Milliseconds, now: Milliseconds) -> Bool {
        guard let idleSeconds, idleSeconds > 0 else { return true }
        return (now - time) / 1000 >= Int64(idleSeconds)
    }

    /// Whether a session is selected, whose id begins with the prefix.
    public func matches(app: AppID?, labels own: [Label]) -> Bool {
        (self.app == nil || self.app == app) && labels.allSatisfy { own.contains($0) }
    }
}

// MARK: - As parameters of a query

extension SessionFilter {
    /// The names of the parameters that select the sessions of a list.
    public static let parameters = ["q", "visible", "idle"] + parametersOfEvents
    /// The names of those that select the events of a stream as well.
    public static let parametersOfEvents = ["app", "label"]

    /// Reads the parameters.
    ///
    /// - Parameter values: the values of a parameter, by its name.
    public init(values: (String) -> [String]) throws(FilterError) {
        self.init(prefix: values("q").first ?? "")
        guard prefix.unicodeScalars.count <= 128 else {
            throw FilterError(parameter: "q", detail: "is longer than any session id")
        }
        if let name = values("app").first {
            app = AppID(name)
            if app == nil { throw FilterError(parameter: "app", detail: nameRule(AppID.self)) }
        }
        if let name = values("visible").first {
            visible = RouteName(name)
            if visible == nil {
                throw FilterError(parameter: "visible", detail: nameRule(RouteName.self))
            }
        }
        if let text = values("idle").first {
            idleSeconds = Decimal.number(text.utf8, digitsMax: 18)
            guard idleSeconds != nil else {
                throw FilterError(parameter: "idle", detail: integerRule(0...Int.max))
            }
        }
        for label in values("label") {
            guard let colon = label.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw FilterError(parameter: "label", detail: "must have the form key:value")
            }
            let value = label[label.utf8.index(after: colon)...]
            labels.append(Label(key: String(label[..<colon]), value: String(value)))
        }
    }
}

/// A parameter of a query whose value is no condition.
public struct FilterError: Error, Equatable {
    public let parameter: String
    /// The requirement on the value.
    public let detail: String
}
