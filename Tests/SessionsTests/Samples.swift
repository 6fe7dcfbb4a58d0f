import Bytes
import JSON
import Navigation
import Sessions

/// Values that several suites use.
enum Samples {
    /// 2026-11-21T12:00:00Z.
    static let noon: Milliseconds = 1_795_262_400_000

    /// A record whose state is the given text.
    static func record(
        _ state: String, revision: Int = 1, nextEntry: Int = 1, at: Milliseconds = 0
    ) -> SessionRecord {
        SessionRecord(
            id: SessionID(trusted: "s"), revision: revision, at: at, undoing: UndoStacks(),
            nextEntry: nextEntry, event: [], state: Array(state.utf8))
    }

    /// A free-form session with these tabs.
    static func session(tabs: [Tab], sheets: [Sheet] = [], selected: Int = 0) -> Session {
        Session(
            id: SessionID(trusted: "s"), app: nil, settings: SessionSettings(), at: noon,
            state: NavigationState(tabs: tabs, selected: selected, sheets: sheets), nextEntry: 100)
    }

    static func tab(_ id: String, badge: Badge? = nil, path: [Entry] = []) -> Tab {
        Tab(id: TabID(trusted: id), badge: badge, path: path)
    }

    static func entry(_ number: Int, _ route: String, params: String = "{}") -> Entry {
        Entry(
            id: EntryID(number: number), route: RouteName(trusted: route),
            params: Params(trusted: Array(params.utf8)[...]))
    }

    static func text(_ session: Session) -> String {
        String(decoding: SessionEncoder.encode(session, app: nil), as: UTF8.self)
    }

    /// The session after it was encoded, stored and decoded.
    static func stored(_ session: Session) throws -> Session {
        try SessionDecoder.decode(
            SessionRecord(
                id: session.id, revision: session.revision, at: session.updatedAt,
                expiresAt: session.expiresAt, app: session.app, labels: session.settings.labels,
                undoing: session.undoing, nextEntry: session.nextEntry, event: [],
                state: SessionEncoder.encode(session, app: nil)))
    }
}
