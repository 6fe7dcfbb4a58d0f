import Observation

/// The state that is shown. It follows a target state in steps that SwiftUI can show, pausing after
/// every change of the sheets.
@Observable @MainActor final class SteppedState {
    /// The state that is shown now.
    private(set) var shown = NavigationState()
    @ObservationIgnored private var target = NavigationState()
    @ObservationIgnored private let stepPause: Duration
    @ObservationIgnored private var pause: Task<Void, Never>?

    /// Creates a state that pauses for this long between steps; zero means no pauses.
    init(pause: Duration) { stepPause = pause }

    /// Shows a change of the user at once, except that a new sheet has to wait while another one is
    /// appearing or disappearing.
    func show(_ change: LocalChange, toward target: NavigationState) {
        var next = shown
        if case .present = change, pause != nil {} else { next.apply(change) }
        set(next)
        show(toward: target)
    }

    /// Shows the first step toward the target now and the others later.
    func show(toward target: NavigationState) {
        self.target = target
        while pause == nil, shown != target {
            set(shown.step(toward: target))
            if pause == nil, shown != target { startPause() }
        }
    }

    /// Waits until the target is shown.
    func settled() async {
        while shown != target, let pause { await pause.value }
    }

    private func set(_ next: NavigationState) {
        guard next != shown else { return }
        let isSame = next.sheets.elementsEqual(shown.sheets) {
            $0.id == $1.id && $0.style == $1.style
        }
        shown = next
        if !isSame { startPause() }
    }

    private func startPause() {
        guard stepPause > .zero else { return }
        pause?.cancel()
        pause = Task {
            do { try await Task.sleep(for: stepPause) } catch { return }
            pause = nil
            show(toward: target)
        }
    }
}
