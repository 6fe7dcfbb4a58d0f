internal import POSIX

/// Seals, durably, the segment that was active when the last run ended. Bytes that the page cache
/// shows may not have reached the disk.
struct SegmentSealer {
    let layout: Layout
    let disk: Disk

    /// The number of bytes that are copied at a time.
    private static let pieceMax = 4 << 20

    /// Cuts the file and appends its last line: in a copy or, if there is no room for one, in
    /// place.
    func end(_ file: LogFile, at end: Int, with line: [UInt8]) throws(SystemError) {
        do {
            try replace(file, with: line, at: end)
        } catch {
            guard error.isFull else { throw error }
            try disk.remove(file.path + ".tmp")
            try rewrite(file.path, with: line, at: end)
        }
    }

    /// Replaces the file by a copy.
    private func replace(_ file: LogFile, with line: [UInt8], at end: Int) throws(SystemError) {
        let copy = try disk.createUnfinished(file.path + ".tmp")
        try self.copy(file, to: copy, upTo: end)
        try disk.write(line, 0..<line.count, to: copy, at: end)
        try disk.sync(copy)
        try disk.rename(copy.path, to: file.path)
        try disk.syncDirectory(layout.log)
    }

    /// Writes each byte again in its place, which makes it durable. A crash in the meantime changes
    /// nothing.
    private func rewrite(_ path: String, with line: [UInt8], at end: Int) throws(SystemError) {
        let options: FileDescriptor.Options = [.readWrite, .noFollow]
        let file = LogFile(descriptor: try .open(path, options), path: path)
        try disk.truncate(file, to: end)
        try copy(file, to: file, upTo: end)
        try disk.sync(file)
        try disk.write(line, 0..<line.count, to: file, at: end)
        try disk.sync(file)
    }

    private func copy(_ file: LogFile, to target: LogFile, upTo end: Int) throws(SystemError) {
        var offset = 0
        while offset < end {
            let bytes = try file.bytes(at: offset, count: min(Self.pieceMax, end - offset))
            try disk.write(bytes, 0..<bytes.count, to: target, at: offset)
            offset += bytes.count
        }
    }
}
