internal import Bytes
package import Navigation

/// A page of the list of sessions, which is ordered by id.
package struct SessionPage: Equatable, Sendable {
    /// The sessions in the order of their ids.
    package var handles: [SessionHandle]
    /// The id after which the next page begins, or nil on the last page. A page may have fewer
    /// sessions than asked for, even none, and still not be the last one, because one call examines
    /// a bounded number of sessions and labels.
    package var next: SessionID?

    /// The maximum number of sessions that one call examines, which takes about two milliseconds.
    package static let examinedMax = 20_000

    package init(handles: [SessionHandle], next: SessionID?) {
        self.handles = handles
        self.next = next
    }
}

/// Selects sessions for a list.
package struct SessionFilter: Equatable, Sendable {
    /// The beginning of the id; empty for any.
    package var prefix: String
    /// The app that the sessions are bound to, or nil for any or none.
    package var app: AppID?
    /// Labels, all of which a session must have.
    package var labels: [Label]

    package init(prefix: String = "", app: AppID? = nil, labels: [Label] = []) {
        self.prefix = prefix
        self.app = app
        self.labels = labels
    }

    /// Whether a session is selected, whose id begins with the prefix.
    package func matches(app: AppID?, labels own: [Label]) -> Bool {
        (self.app == nil || self.app == app) && labels.allSatisfy { own.contains($0) }
    }
}
