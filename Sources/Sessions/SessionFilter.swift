package import Navigation

/// A page of a walk over the sessions by id.
package struct SessionPage: Equatable, Sendable {
    package var handles: [SessionHandle]
    /// Where to go on, exclusive; nil at the end. A page may be short, even empty, and go on:
    /// one call looks at a bounded number of sessions and compares a bounded number of labels.
    package var next: SessionID?

    package init(handles: [SessionHandle], next: SessionID?) {
        self.handles = handles
        self.next = next
    }
}

/// Which sessions a walk takes.
package struct SessionFilter: Equatable, Sendable {
    /// The id's beginning.
    package var prefix: String
    package var app: AppID?
    /// All of them are asked for.
    package var labels: [Label]

    package init(prefix: String = "", app: AppID? = nil, labels: [Label] = []) {
        self.prefix = prefix
        self.app = app
        self.labels = labels
    }

    /// Whether a session with these labels has all that are asked for.
    package func takes(_ own: [Label]) -> Bool {
        labels.allSatisfy { own.contains($0) }
    }
}
