internal import Navigation
internal import POSIX

final class Compaction: Sendable {
    let wakeUp: WakeUp
    init(options: StoreOptions, layout: Layout, wakeUp: WakeUp) { self.wakeUp = wakeUp }
    func stop() {}
    func run(
        _ segments: [Segment], now: Milliseconds, journal: Journal,
        _ forget: ([Int]) throws(SystemError) -> Void
    ) {}
}
struct CompactionState {}
extension Store {
    func compact() {}
}
