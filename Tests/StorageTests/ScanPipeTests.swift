import Bytes
import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// Two threads that go through a file find what one finds.
@Suite struct ScanPipeTests {
    private struct Found: Equatable {
        var sequence: UInt64
        var hash: UInt64
        var offset: Int
        var line: [UInt8]
    }

    private let hasher = SeededHash(seed: 3)

    /// A file of the log with records of many sizes, the longest longer than a chunk.
    private func file(_ random: inout SplitMix64) throws -> TestStore {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 32 << 20 }
        for number in 1...1_500 {
            let most = random.oneIn(100) ? 3 * SegmentScanner.chunk : 900
            let bytes = random.below(most)
            _ = try test.store.put(record("s\(number)", 1, bytes: bytes))
        }
        try test.settle()
        return test
    }

    private func path(_ test: TestStore) -> String {
        Layout(root: test.path).segment(test.store.activeFile)
    }

    private func open(_ path: String, _ options: FileDescriptor.Options) throws -> LogFile {
        LogFile(descriptor: try .open(path, options), path: path)
    }

    private func foundByOne(_ file: LogFile) throws -> (Scan, [Found]) {
        var found: [Found] = []
        var scanner = try SegmentScanner(file, expected: 1)
        let scan = try scanner.run { bytes, line, header, offset in
            found.append(
                Found(
                    sequence: header.sequence, hash: hasher.hash(bytes, header.id.range),
                    offset: offset, line: Array(bytes[line])))
        }
        return (scan, found)
    }

    private func foundByTwo(_ file: LogFile) throws -> (Scan, [Found]) {
        var found: [Found] = []
        let scan = try ScanPipe.run(file, expected: 1, hasher: hasher) { bytes, base, records in
            for (header, hash) in zip(records.headers, records.hashes) {
                let line = header.line.range
                found.append(
                    Found(
                        sequence: header.sequence, hash: hash,
                        offset: base + line.lowerBound, line: Array(bytes[line])))
            }
        }
        return (scan, found)
    }

    @Test func `a line that is there twice is read once`() throws {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 1 << 20 }
        for revision in 1...3 { _ = try test.store.put(record("a", revision)) }
        try test.settle()
        let lines = try FileDescriptor.contents(of: path(test)).split(separator: 0x0A)
        // The header, and then the first record twice.
        let bytes = Array((lines[..<2] + lines[1...]).joined(separator: [0x0A])) + [0x0A]
        let file = try open(path(test), .readWrite)
        try file.descriptor.writeAll(bytes, bytes.indices, at: 0)
        let numbers = try foundByOne(file).1.map(\.sequence)
        #expect(numbers == Set(numbers).sorted() && numbers.count == lines.count - 1)
    }

    @Test(.seeded) func `every record comes once, in order, with its bytes and its place`() throws {
        var random = SplitMix64()
        let test = try file(&random)
        let file = try open(path(test), .readOnly)
        let (scan, found) = try foundByTwo(file)
        let (expectedScan, expected) = try foundByOne(file)
        #expect(scan == expectedScan)
        #expect(found == expected)
        #expect(found.count >= 1_500 && scan.holes.isEmpty)
    }

    @Test(.seeded) func `a damaged and cut file has the same records and holes either way`() throws
    {
        var random = SplitMix64()
        let test = try file(&random)
        var bytes = try FileDescriptor.contents(of: path(test), countMax: 1 << 30)
        for _ in 0..<20 { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
        let cut = "\(test.path)/cut"
        for end in [0, 1, random.below(bytes.count), bytes.count] {
            try FileDescriptor.open(cut, [.writeOnly, .create, .truncate])
                .writeAll(Array(bytes[..<end]))
            let file = try open(cut, .readOnly)
            let (scan, found) = try foundByTwo(file)
            let (expectedScan, expected) = try foundByOne(file)
            #expect(scan == expectedScan, "cut at \(end)")
            #expect(found == expected, "cut at \(end)")
        }
    }

    @Test func `a file that cannot be read is an error of the caller's thread`() throws {
        let test = try TestStore(on: .memory)
        _ = try test.store.put(record("a", 1))
        try test.settle()
        let file = try open(path(test), .writeOnly)
        #expect(throws: SystemError.self) {
            try ScanPipe.run(file, expected: 1, hasher: hasher) { _, _, _ in
                Issue.record("no records")
            }
        }
    }
}
