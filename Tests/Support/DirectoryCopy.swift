internal import POSIX

/// All files of a directory but its lock, by their paths in it.
package func contents(of path: String) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try Directory.names(path) where name != "LOCK" {
        let inner = "\(path)/\(name)"
        if try Directory.status(inner)?.isDirectory == true {
            for (rest, bytes) in try contents(of: inner) { found["\(name)/\(rest)"] = bytes }
        } else {
            found[name] = try FileDescriptor.contents(of: inner, countMax: 1 << 30)
        }
    }
    return found
}

/// Copies a directory as it was at one moment, though a store may be at work in it.
package func copyDirectory(_ path: String, to other: String) throws {
    var files: [String: [UInt8]]?
    while true {
        let before = files
        do {
            files = try contents(of: path)
        } catch let error as SystemError where error.number == SystemError.notFound {
            files = nil  // A file went while it was looked for.
        }
        if let files, files == before { break }
    }
    try Directory.make(other)
    for (name, bytes) in files ?? [:] {
        if let slash = name.lastIndex(of: "/") { try Directory.make("\(other)/\(name[..<slash])") }
        let file = try FileDescriptor.open("\(other)/\(name)", [.writeOnly, .create, .truncate])
        try file.writeAll(bytes)
    }
}
