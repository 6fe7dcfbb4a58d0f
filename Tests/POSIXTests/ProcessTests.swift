import Glibc
import POSIX
import Testing

@Suite struct ProcessTests {
    @Test func `the clocks advance, and the year is plausible`() {
        let (milliseconds, nanoseconds) = (Clock.monotonicMilliseconds, Clock.monotonicNanoseconds)
        for _ in 0..<1_000 {
            #expect(Clock.monotonicMilliseconds >= milliseconds)
            #expect(Clock.monotonicNanoseconds >= nanoseconds)
        }
        // After this was written, and before it will be of interest to anybody.
        #expect((1_760_000_000_000..<10_000_000_000_000).contains(Clock.realtimeMilliseconds))
    }

    @Test func `memory is counted in bytes, whatever the size of a page`() throws {
        let status = try FileDescriptor.contents(of: "/proc/self/status")
        func kibibytes(_ name: String) throws -> Int {
            let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix(name + ":") })
            return try #require(Int(line.dropFirst(name.count + 1).filter(\.isNumber)))
        }
        // Other tests allocate meanwhile; a wrong size of a page is wrong by a factor of four or
        // more.
        let (resident, virtual) = (try kibibytes("VmRSS"), try kibibytes("VmSize"))
        let memory = Process.memory
        #expect((resident / 2...resident * 2).contains(memory.residentBytes / 1024))
        #expect((virtual / 2...virtual * 2).contains(memory.virtualBytes / 1024))
    }

    @Test(arguments: [4096, 16384, 65536])
    func `pages of every size are converted to bytes`(pageBytes: Int) throws {
        let statm = Array("5160 1893 1200 301 0 410 0\n".utf8)
        let memory = try #require(Process.Memory(statm: statm, pageBytes: pageBytes))
        #expect(memory.virtualBytes == 5160 * pageBytes)
        #expect(memory.residentBytes == 1893 * pageBytes)
    }

    @Test(arguments: ["", "5160", "5160 ", "x 1893 0", "5160 x 0", "-", "99999999999999999999 1"])
    func `what is not the text of statm is no memory`(text: String) {
        #expect(Process.Memory(statm: Array(text.utf8), pageBytes: 4096) == nil)
    }

    @Test func `a number of pages that is too large does not overflow`() throws {
        let statm = Array("\(Int.max) \(Int.max / 2)".utf8)
        let memory = try #require(Process.Memory(statm: statm, pageBytes: 4096))
        #expect((memory.virtualBytes, memory.residentBytes) == (.max, .max))
    }

    @Test func `random numbers differ`() {
        let words = (0..<100).map { _ in Random.word() }
        #expect(Set(words).count == words.count)
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

    @Test func `the statistics of this process are plausible`() throws {
        #expect(Process.identifier == getpid() && Process.userIdentifier == getuid())
        let before = Process.statistics
        #expect(before.cpuNanoseconds > 0)
        #expect(before.memory.virtualBytes > before.memory.residentBytes)
        #expect(before.memory.residentBytes > 1 << 20)
        #expect(before.descriptors >= 3 && before.descriptorsMax >= before.descriptors)
        #expect(Process.statistics.cpuNanoseconds >= before.cpuNanoseconds)
    }

    @Test func `descriptors are counted`() async {
        await #expect(processExitsWith: .success) {
            let before = Process.statistics.descriptors
            let pipes = try (0..<50).map { _ in try Pipe() }
            // The system's own threads may open a few.
            #expect((100..<110).contains(Process.statistics.descriptors - before))
            withExtendedLifetime(pipes) {}
        }
    }
}
