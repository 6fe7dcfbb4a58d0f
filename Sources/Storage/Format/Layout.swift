internal import Bytes
internal import POSIX

/// The paths of the files in a store's directory.
struct Layout: Sendable {
    let root: String

    var lock: String { "\(root)/LOCK" }
    var manifest: String { "\(root)/MANIFEST.json" }
    /// A file that exists while a restore is under way.
    var restoring: String { "\(root)/RESTORING" }
    var log: String { "\(root)/log" }
    var quarantine: String { "\(root)/quarantine" }

    /// The path of a segment.
    func segment(_ number: Int) -> String { "\(log)/\(Self.name(number))" }

    /// Returns a segment's name: ten digits, so that names sort like numbers, and `.jsonl`. Higher
    /// numbers have more digits.
    static func name(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 10 - digits.count)) + digits + ".jsonl"
    }

    /// Returns the number that a segment's name has, or nil for any other name.
    static func number(_ name: String) -> Int? {
        guard name.hasSuffix(".jsonl") else { return nil }
        let digits = name.utf8.dropLast(6)
        guard (10...15).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return Self.name(number) == name ? number : nil
    }
}

extension Layout {
    /// A file in `log/` under the name of a segment.
    struct File: Equatable {
        /// Its size in bytes.
        var size: Int
        /// Whether it is a regular file. A symbolic link is not, even if it leads to one.
        var isRegular: Bool
    }

    /// Returns everything in `log/` that has the name of a segment, by number.
    func files() throws(SystemError) -> [Int: File] {
        var files: [Int: File] = [:]
        for name in try Directory.names(log) {
            guard let number = Self.number(name), let status = try Directory.status(segment(number))
            else { continue }
            files[number] = File(size: status.size, isRegular: status.isRegular)
        }
        return files
    }

    /// Returns the paths of unfinished files, whose names are those of segments followed by `.tmp`.
    func unfinished() throws(SystemError) -> [String] {
        var paths: [String] = []
        for name in try Directory.names(log) where name.hasSuffix(".tmp") {
            let path = "\(log)/\(name)"
            guard Self.number(String(name.dropLast(4))) != nil,
                let status = try Directory.status(path), !status.isDirectory
            else { continue }
            paths.append(path)
        }
        return paths
    }
}
