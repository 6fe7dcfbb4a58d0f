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

// MARK: - As parameters of a query

extension SessionFilter {
    /// The names of the parameters that select the sessions of a list.
    package static let parameters = ["q"] + parametersOfEvents
    /// The names of those that select the events of a stream as well.
    package static let parametersOfEvents = ["app", "label"]

    /// Reads the parameters.
    ///
    /// - Parameter values: the values of a parameter, by its name.
    package init(values: (String) -> [String]) throws(FilterError) {
        self.init(prefix: values("q").first ?? "")
        guard prefix.unicodeScalars.count <= 128 else {
            throw FilterError(parameter: "q", detail: "is longer than any session id")
        }
        if let name = values("app").first {
            app = AppID(name)
            if app == nil { throw FilterError(parameter: "app", detail: nameRule(AppID.self)) }
        }
        for label in values("label") {
            guard let colon = label.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw FilterError(parameter: "label", detail: "must have the form key:value")
            }
            let value = label[label.index(after: colon)...]
            labels.append(Label(key: String(label[..<colon]), value: String(value)))
        }
    }
}

/// A parameter of a query whose value is no condition.
package struct FilterError: Error, Equatable {
    package let parameter: String
    /// The requirement on the value.
    package let detail: String
}
