import POSIX
import TestSupport
import Testing

@testable import Storage

@Suite struct SegmentSlicesTests {
    private let directory: TemporaryDirectory
    private let segment: Segment
    private let bytes: [UInt8]
    private var path: String { directory.path + "/log" }

    /// A file with a header and lines of many lengths.
    init() throws {
        directory = try TemporaryDirectory()
        let header = SegmentHeader(lineage: "l", file: 1, first: 1, at: 0)
        var bytes: [UInt8] = []
        let salt = header.append(to: &bytes)
        for number in 1...60 {
            let start = bytes.count
            let filler = String(repeating: "x", count: number * 37 % 500)
            bytes += Array(#"{"n":\#(number),"f":"\#(filler)""#.utf8)
            Line.close(&bytes, from: start, salt: salt)
        }
        self.bytes = bytes
        let file = try Disk().create(directory.path + "/log")
        try file.descriptor.writeAll(bytes, 0..<bytes.count, at: 0)
        segment = Segment(header: header, salt: salt, state: Segment.State(file: file))
    }

    private func slices(
        upTo end: Int, countMax: Int
    ) throws(SystemError) -> [SegmentSlices.Slice] {
        var reader = SegmentSlices(of: segment, upTo: end, countMax: countMax)
        var slices: [SegmentSlices.Slice] = []
        while let slice = try reader.next() { slices.append(slice) }
        return slices
    }

    @Test(arguments: [1, 18, 100, 517, 4096, 1 << 20])
    func `slices have every line once, whatever their size`(countMax: Int) throws {
        let slices = try slices(upTo: bytes.count, countMax: countMax)
        #expect(slices.flatMap(\.bytes) == bytes)
        #expect(slices.reduce(0) { $0 + $1.lines.count } == 61)
        var offset = 0
        for slice in slices {
            #expect(slice.offset == offset)
            #expect(slice.bytes.count <= countMax || slice.lines.count == 1 || countMax < 1024)
            #expect(slice.lines.first?.lowerBound == 0)
            #expect(slice.lines.last?.upperBound == slice.bytes.count)
            offset += slice.bytes.count
        }
    }

    @Test func `what lies behind the end is not read`() throws {
        let lines = try slices(upTo: bytes.count, countMax: 1 << 20).flatMap(\.lines)
        for line in lines {
            let read = try slices(upTo: line.upperBound, countMax: 300).flatMap(\.bytes)
            #expect(read == Array(bytes[..<line.upperBound]))
        }
        #expect(try slices(upTo: 0, countMax: 300).isEmpty)
    }

    @Test func `a byte that is another one is damage, wherever it is`() throws {
        let file = try FileDescriptor.open(path, [.readWrite])
        for place in stride(from: 0, to: bytes.count, by: 101) {
            try file.writeAll([bytes[place] ^ 1], 0..<1, at: place)
            #expect(throws: SystemError.damage(path)) {
                try slices(upTo: bytes.count, countMax: 700)
            }
            try file.writeAll([bytes[place]], 0..<1, at: place)
        }
        #expect(try slices(upTo: bytes.count, countMax: 700).flatMap(\.bytes) == bytes)
    }

    @Test func `a file that ends within a line is damaged`() throws {
        try FileDescriptor.open(path, [.readWrite]).truncate(to: bytes.count - 1)
        #expect(throws: SystemError.damage(path)) { try slices(upTo: bytes.count, countMax: 700) }
    }

    @Test func `a file that was never opened cannot be read`() {
        let unopened = Segment(header: segment.header, salt: segment.salt)
        var reader = SegmentSlices(of: unopened, upTo: 10, countMax: 100)
        #expect(throws: SystemError.self) { try reader.next() }
    }
}
