internal import Bytes
internal import POSIX

/// Asks the monitoring pages of the servers again and again, in a thread of its own: a server that
/// is started again may have other settings.
final class SyncWatch: Sendable {
    private struct State {
        var faults: [String]
        var told: [String]
        var isOver = false
    }

    private let state: Lock<State>

    /// - Parameters:
    ///   - addresses: the monitoring addresses.
    ///   - faults: what is known to be wrong, as sentences.
    ///   - milliseconds: how long to wait before the pages are read again.
    init(
        _ addresses: [String], knowing faults: [String], every milliseconds: Int = 60_000
    ) throws(SystemError) {
        let state = Lock(State(faults: faults, told: faults))
        self.state = state
        try Thread(named: "monitors", priority: .background) {
            while state.wait(atMost: milliseconds, for: { $0.isOver ? true : nil }) == nil {
                let faults = addresses.flatMap { ServerMonitor.faults(at: $0) }
                state.withLock { $0.faults = faults }
            }
        }.detach()
    }

    deinit {
        state.withLock { $0.isOver = true }
        state.notify()
    }

    /// The faults of the servers when they were asked last, as sentences.
    var faults: [String] { state.withLock { $0.faults } }

    /// Faults that are new since the last call.
    func takeNews() -> [String] {
        state.withLock { state in
            defer { state.told = state.faults }
            return state.faults.filter { fault in !state.told.contains { $0 == fault } }
        }
    }
}
