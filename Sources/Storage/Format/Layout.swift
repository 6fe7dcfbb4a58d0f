internal import POSIX

/// The names in a store's directory.
struct Layout: Sendable {
    let root: String

    var lock: String { "\(root)/LOCK" }
    var manifest: String { "\(root)/MANIFEST.json" }
    /// Stands there while a restore is under way.
    var restoring: String { "\(root)/RESTORING" }
    var log: String { "\(root)/log" }
    var quarantine: String { "\(root)/quarantine" }

    func segment(_ number: Int) -> String { "\(log)/\(Self.name(number))" }

    /// Ten digits and `.jsonl`, so that names sort like numbers; more digits if need be.
    static func name(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 10 - digits.count)) + digits + ".jsonl"
    }

    /// The number of a segment's name; nil for other names, which are left alone.
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
    /// What has a segment's name in `log/`.
    struct File: Equatable {
        /// Bytes.
        var size: Int
        /// No directory, no pipe; a link counts as what it is.
        var isRegular: Bool
    }

    /// What has a segment's name, by its number.
    func files() throws(SystemError) -> [Int: File] {
        var files: [Int: File] = [:]
        for name in try Directory.names(log) {
            guard let number = Self.number(name), let status = try Directory.status(segment(number))
            else { continue }
            files[number] = File(size: status.size, isRegular: status.isRegular)
        }
        return files
    }

    /// Files that were not finished: those of a segment's name and `.tmp`.
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
