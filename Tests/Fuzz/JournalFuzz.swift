import Navigation
import POSIX

@testable import Storage

/// A line with a checksum that fits, and a whole file of the log as it comes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    readLine(bytes)
    readFile(bytes)
    return 0
}

private func readLine(_ bytes: [UInt8]) {
    var line = bytes
    Line.close(&line, from: 0, salt: .none)
    let range = 0..<line.count
    guard Line.isValid(line, range, salt: .none) else { return }
    guard let header = RecordHeader(line, range) else { return }
    _ = header.record(line)
    _ = header.deletion(line)
    _ = header.undoRuns(line)
    _ = header.sessionTokens(line)
    _ = header.keptKey(line)
}

private let file: LogFile? = {
    let path = "/dev/shm/navstate-fuzz-\(Process.identifier)"
    let descriptor = try? FileDescriptor.open(path, [.readWrite, .create, .truncate])
    try? Directory.remove(path)
    return descriptor.map { LogFile(descriptor: $0, path: path) }
}()

private func readFile(_ bytes: [UInt8]) {
    guard let file else { preconditionFailure("no file to write to") }
    // A header that fits, and checksums for the lines that begin like one.
    let header = SegmentHeader(lineage: "fuzz", file: 1, first: 1, at: 1)
    var content: [UInt8] = []
    let salt = header.append(to: &content)
    for line in bytes.split(separator: 0x0A) {
        let start = content.count
        content += line
        if line.first == 0x7B {
            Line.close(&content, from: start, salt: salt)
        } else {
            content.append(0x0A)
        }
    }
    do {
        try file.descriptor.truncate(to: 0)
        try file.descriptor.writeAll(content, 0..<content.count, at: 0)
        var scanner = try SegmentScanner(file, expected: 1)
        let scan = try scanner.run { bytes, line, record, offset in
            precondition(offset + line.count <= content.count)
            precondition(record.line.range == line && record.sequence > 0)
            _ = record.record(bytes)
        }
        precondition(scan.size == content.count)
    } catch {
        preconditionFailure("\(error)")
    }
}
