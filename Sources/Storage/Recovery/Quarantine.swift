internal import Bytes
internal import Navigation
internal import POSIX

/// The directory for what a start does not use: damaged files, foreign files and cut tails. Nothing
/// in it is overwritten or deleted.
struct Quarantine {
    let layout: Layout
    let disk: Disk
    /// The time of the start, which is part of the names.
    let now: Milliseconds

    /// Moves a file to the quarantine.
    func move(_ path: String) throws(SystemError) {
        try Directory.make(layout.quarantine)
        try disk.rename(path, to: try freePath(for: path))
        try disk.syncDirectory(layout.quarantine)
        try disk.syncDirectory(layout.root)
    }

    /// Links a file, which is about to be replaced, in the quarantine as well.
    func link(_ path: String) throws(SystemError) {
        try Directory.make(layout.quarantine)
        try disk.link(path, to: try freePath(for: path))
        try disk.syncDirectory(layout.quarantine)
    }

    /// Copies the end of a file to the quarantine.
    ///
    /// - Returns: the path of the copy, and the number of its bytes.
    func copyTail(
        of path: String, from offset: Int, to end: Int
    ) throws(SystemError) -> (path: String, count: Int) {
        let file = try LogFile(reading: path)
        let bytes = try file.bytes(at: offset, count: end - offset)
        try Directory.make(layout.quarantine)
        let kept = try disk.create(try freePath(for: path, suffix: ".from-\(offset)"))
        try disk.write(bytes, 0..<bytes.count, to: kept, at: 0)
        try disk.sync(kept)
        try disk.syncDirectory(layout.quarantine)
        return (kept.path, bytes.count)
    }

    private func freePath(
        for path: String, suffix: String = ""
    ) throws(SystemError) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? "file"
        let first = "\(layout.quarantine)/\(name).\(now)\(suffix)"
        var (candidate, number) = (first, 1)
        while try Directory.status(candidate) != nil {
            number += 1
            candidate = "\(first).\(number)"
        }
        return candidate
    }
}
