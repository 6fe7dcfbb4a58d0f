import POSIX
import Storage
import Synchronization

// The simulated disk.
//
// The files are real ones, in memory where the machine has such a file system. Beside them,
// `DiskState` keeps what a power cut would leave for sure: of each file the bytes of its last sync,
// of each directory the names of its last sync, and the operations on names since. Each call of the
// store comes here first; it may take long, fail, or find the disk full, and other threads run
// meanwhile.

/// A disk that takes its time, fails, fills up, and forgets what was not synced when it dies.
final class SimulatedDisk: Sendable {
    private let world: World
    private let state: Mutex<DiskState>

    init(in world: World, root: String, isTold: Bool) {
        self.world = world
        state = Mutex(DiskState(root: root, isTold: isTold))
    }

    /// For the store.
    var disk: Disk { Disk { self.answer($0) } }

    /// The directory as it is now.
    var root: String { state.withLock { $0.root } }

    /// Begins a life of the process, with these faults.
    ///
    /// - Parameter calls: the disk dies after so many calls, or nil if it does not die by itself.
    func live(_ faults: [DiskFault], diesAfter calls: Int?) {
        state.withLock { $0.live(faults, diesAfter: calls) }
    }

    /// From now on the process can do nothing with the disk.
    func die() { state.withLock { $0.isDead = true } }
    var isDead: Bool { state.withLock { $0.isDead } }

    /// Whether a call failed in this life, other than for lack of room.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }
    /// Whether any call failed in this life.
    var hasRefused: Bool { state.withLock { $0.hasRefused } }
    /// When a call last failed, in monotonic nanoseconds: the store may take any failure to make a
    /// file for a lack of room.
    var wasFullAt: Int64 { state.withLock { $0.wasFullAt } }
    /// Ends all faults.
    func heal() { state.withLock { $0.faults = [] } }

    /// Calls of all lives.
    var callCount: Int { state.withLock { $0.callsOfAllLives } }

    /// The last calls, oldest first, for the report of a failure.
    var history: [String] { state.withLock { $0.history } }

    /// Leaves in a new directory what a power cut may leave of the present one.
    func losePower(to root: String) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            try state.losePower(to: root, choices: PowerCut(world))
        }
    }

    private func answer(_ call: Disk.Call) -> Disk.Answer {
        let now = world.monotonicNanoseconds
        let (delay, content) = state.withLock { ($0.delay(of: call, now), $0.contentToSync(call)) }
        if let (delay, isLast) = delay {
            world.sleep(delay + Int64(world.below(200_000)))
            if isLast { die() }
        } else {
            world.pause()
        }
        let part = world.below(1 << 20)
        let end = world.monotonicNanoseconds
        return state.withLock { $0.finish(call, content, end, part: part) }
    }
}
