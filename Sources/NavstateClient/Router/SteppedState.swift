import Observation

/// The state that is shown. It follows a target state in steps that SwiftUI can show, and pauses
/// after every change of the sheets before it presents another one.
@Observable @MainActor final class SteppedState {
    /// The state that is shown now.
    private(set) var shown: Nav.Session?
    @ObservationIgnored private var target: Nav.Session?
    @ObservationIgnored private let stepPause: Duration
    @ObservationIgnored private let sleep: Navstate.Configuration.Sleep
    @ObservationIgnored private var pause: Task<Void, Never>?

    /// Creates a state that pauses for this long between steps; zero means no pauses.
    init(pause: Duration, sleep: @escaping Navstate.Configuration.Sleep) {
        (stepPause, self.sleep) = (pause, sleep)
    }

    /// Shows the target, except that a new sheet waits while another one is appearing or
    /// disappearing.
    func show(toward target: Nav.Session?) {
        self.target = target
        guard let target else { return }
        while shown != target {
            let next = shown?.step(toward: target) ?? target.presenting(0)
            if pause != nil, next.sheets.count > shown?.sheets.count ?? 0 { return }
            let isSame = next.isPresenting(same: shown)
            shown = next
            if !isSame { startPause() }
        }
    }

    /// Waits until the target is shown.
    func settled() async {
        while shown != target, let pause { await pause.value }
    }

    private func startPause() {
        guard stepPause > .zero else { return }
        pause?.cancel()
        pause = Task {
            do { try await sleep(stepPause) } catch { return }
            pause = nil
            show(toward: target)
        }
    }
}

extension Nav.Session {
    /// The next state on the way to `target` that SwiftUI can show. SwiftUI can dismiss several
    /// sheets at once and can show any change of tabs and paths, but it presents only one sheet at
    /// a time, and none while another one is being dismissed.
    ///
    /// The server's `steps` do not help here: they replace nothing, so a sheet that gets another
    /// style has none, and they keep to the server's ids.
    func step(toward target: Nav.Session) -> Nav.Session {
        let kept = zip(sheets, target.sheets).prefix { $0.id == $1.id && $0.style == $1.style }
            .count
        let next = target.presenting(kept)
        return next == self ? target.presenting(kept + 1) : next
    }

    /// The same state with the lowest sheets only.
    fileprivate func presenting(_ count: Int) -> Nav.Session {
        guard sheets.count > count else { return self }
        var state = self
        state.sheets.removeSubrange(count...)
        return state
    }

    fileprivate func isPresenting(same other: Nav.Session?) -> Bool {
        sheets.elementsEqual(other?.sheets ?? []) { $0.id == $1.id && $0.style == $1.style }
    }
}

extension Nav.Session {
    /// The id of the container that the user is in: the top sheet, or the selected tab if there is
    /// no sheet.
    var active: String { sheets.last?.id ?? selectedTab }

    /// The dialog on top, if there is one.
    var dialog: Nav.Sheet? { sheets.last.flatMap { $0.isDialog ? $0 : nil } }

    /// Whether this is the same state as another one, apart from times and from the changes that
    /// can be undone, which the rules need not know.
    func isSame(as other: Nav.Session) -> Bool { bare == other.bare }

    private var bare: Nav.Session {
        var bare = self
        for name in ["createdAt", "updatedAt", "expiresAt"] { bare.members[name] = nil }
        (bare.canUndo, bare.canRedo) = (false, false)
        for index in bare.sheets.indices { bare.sheets[index].members["expiresAt"] = nil }
        return bare
    }
}

extension Nav.Sheet {
    /// Whether only a command that forces it removes the sheet with its path.
    var isLocked: Bool { !isDismissible || path.contains(where: \.isLocked) }
}
