import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// Figures, not verdicts: `NAVSTATE_MEASURE=1 swift test -c release -Xswiftc -enable-testing`.
@Suite(.enabled(if: Process.environment("NAVSTATE_MEASURE") != nil), .serialized)
struct MeasureTests {
    private func nanoseconds(_ body: () throws -> Void) rethrows -> Int {
        let start = Clock.monotonicNanoseconds
        try body()
        return Int(Clock.monotonicNanoseconds - start)
    }

    @Test func `a put, a get, a start, memory`() throws {
        let count = Int(Process.environment("NAVSTATE_MEASURE") ?? "") ?? 200_000
        let base = Process.memory.residentBytes
        let test = try TestStore {
            $0.segmentBytes = 64 << 20
            $0.cacheBytes = 256 << 20
            $0.pendingBytesMax = 1 << 30
            $0.fsync = .never
        }
        var puts = 0
        for revision in 1...2 {
            for start in stride(from: 0, to: count, by: 1000) {
                let records = (start..<min(count, start + 1000)).map {
                    record("session-\($0 * 7919 % count)", revision, bytes: 660, expiresAt: 1 << 40)
                }
                puts += try nanoseconds {
                    for record in records { _ = try test.store.put(record) }
                    test.store.submit()
                }
                test.store.collect()
            }
            print("revision \(revision): \(puts / count) ns a put")
            puts = 0
        }
        try test.settle()
        print("resident \((Process.memory.residentBytes - base) >> 20) MiB with the cache")
        var bytes: [UInt8] = []
        let gets = try nanoseconds {
            for number in stride(from: 0, to: count, by: 7) {
                bytes.removeAll(keepingCapacity: true)
                let handle = try #require(test.store.handle("session-\(number)"))
                _ = try? test.store.reader.appendState(handle, to: &bytes)
            }
        }
        print("\(gets / (count / 7)) ns a find and state, as far as cached")
        test.store.close(at: 1)
        let logged = try test.bytesOnDisk
        for _ in 0..<2 {
            let start = Clock.monotonicNanoseconds
            var options = StoreOptions(path: test.path)
            options.compacts = false
            let recovered = try Recovery(options: options, now: 1).run()
            let took = Double(Clock.monotonicNanoseconds - start) / 1e9
            print(
                "start: \(took) s, \(Double(logged) / took / 1e6) MB/s, "
                    + "\(recovered.tables.index.count) sessions of \(logged) bytes")
        }
        if let keep = Process.environment("NAVSTATE_KEEP") {
            try copyDirectory(test.path, to: keep)
        }
        let before = Process.memory.residentBytes
        let recovered = try Recovery(options: StoreOptions(path: test.path), now: 1).run()
        let each = (Process.memory.residentBytes - before) / max(1, recovered.tables.index.count)
        print("\(each) bytes of index a session (some memory was free already)")
    }

    @Test func `durable puts with so many waiting`() throws {
        let test = try TestStore { $0.segmentBytes = 64 << 20 }
        for waiting in [1, 64, 256] {
            var (done, revision) = (0, (0..<waiting).map { _ in 0 })
            let revisions = (0..<waiting).map { id in
                test.store.handle("d\(id)").map { test.store.reader.summary($0).revision } ?? 0
            }
            revision = revisions
            var pending: [(number: UInt64, id: Int)] = []
            var free = Array(0..<waiting)
            let start = Clock.monotonicNanoseconds
            while Clock.monotonicNanoseconds - start < 2_000_000_000 {
                for id in free {
                    revision[id] += 1
                    pending.append(
                        (try test.store.put(record("d\(id)", revision[id], bytes: 660)), id))
                }
                free.removeAll()
                test.store.submit()
                try test.collect()
                let durable = test.store.durable
                free = pending.filter { $0.number <= durable }.map(\.id)
                done += free.count
                pending.removeAll { $0.number <= durable }
            }
            print("\(waiting) waiting: \(done / 2) durable puts a second")
        }
    }
}
