import Glibc
import POSIX
import Testing

@Suite struct ProcessTests {
    @Test func `the clocks go on, and agree about the year`() {
        let (milliseconds, nanoseconds) = (Clock.monotonicMilliseconds, Clock.monotonicNanoseconds)
        for _ in 0..<1_000 {
            #expect(Clock.monotonicMilliseconds >= milliseconds)
            #expect(Clock.monotonicNanoseconds >= nanoseconds)
        }
        // After this was written, and before it will be of interest to anybody.
        #expect((1_760_000_000_000..<10_000_000_000_000).contains(Clock.realtimeMilliseconds))
    }

    @Test func `random bytes are as many as were asked for`() throws {
        #expect(try Random.bytes(0).isEmpty)
        var seen: Set<[UInt8]> = []
        for _ in 0..<100 {
            let bytes = try Random.bytes(16)
            #expect(bytes.count == 16)
            #expect(seen.insert(bytes).inserted)
        }
        // The kernel gives at most 2^25 - 1 in one call.
        let many = try Random.bytes(1 << 25 + 64)
        #expect(many.suffix(64).contains { $0 != 0 })
        #expect(try Random.word() != Random.word())
    }

    @Test func `variables of the environment are found by name and by prefix`() {
        unsafe setenv("POSIXTESTS_A", "1=2", 1)
        unsafe setenv("POSIXTESTS_B", "", 1)
        #expect(Process.environment("POSIXTESTS_A") == "1=2")
        #expect(Process.environment("POSIXTESTS_NONE") == nil)
        #expect(
            Process.environment(prefix: "POSIXTESTS_") == [
                "POSIXTESTS_A": "1=2", "POSIXTESTS_B": "",
            ])
        #expect(Process.environment(prefix: "POSIXTESTS_NONE").isEmpty)
    }

    @Test func `the figures of this process are plausible`() throws {
        #expect(Process.identifier == getpid() && Process.userIdentifier == getuid())
        let before = Process.figures
        #expect(before.cpuNanoseconds > 0)
        #expect(before.virtualBytes > Process.residentBytes)
        #expect(Process.residentBytes > 1 << 20)
        #expect(before.descriptors >= 3 && before.descriptorsMax >= before.descriptors)
        #expect(Process.figures.cpuNanoseconds >= before.cpuNanoseconds)
    }

    @Test func `descriptors are counted`() async {
        await #expect(processExitsWith: .success) {
            let before = Process.figures.descriptors
            let pipes = try (0..<50).map { _ in try Pipe() }
            // The system's own threads may open a few.
            #expect((100..<110).contains(Process.figures.descriptors - before))
            withExtendedLifetime(pipes) {}
        }
    }
}
