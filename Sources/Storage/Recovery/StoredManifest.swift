internal import Navigation
internal import POSIX

/// The manifest of a store that is being opened.
struct StoredManifest {
    var manifest: Manifest
    var origin: Origin
    var notes: [String] = []

    /// Where a manifest comes from.
    enum Origin {
        case found
        /// There is no store yet.
        case new
        /// It was missing or damaged, and was rebuilt from the files.
        case rebuilt
    }

    /// Reads the manifest.
    ///
    /// - Parameters:
    ///   - files: the files of the log.
    ///   - rebuilds: whether a missing or damaged manifest is rebuilt; else it is refused.
    static func read(
        _ layout: Layout, _ files: [Int: Layout.File], rebuilds: Bool, _ quarantine: Quarantine
    ) throws -> StoredManifest {
        let isRestoring = try Directory.status(layout.restoring) != nil
        guard try Directory.status(layout.manifest) != nil else {
            if isRestoring { throw StartError.unfinishedRestore(path: layout.root) }
            // A store whose very first start was interrupted before its manifest has no record.
            let isEmpty = files.values.allSatisfy { $0.size == 0 }
            guard isEmpty || rebuilds else { throw StartError.noManifest(path: layout.manifest) }
            return StoredManifest(
                manifest: try rebuilt(files, now: quarantine.now),
                origin: isEmpty ? .new : .rebuilt,
                notes: isEmpty ? [] : ["\(layout.manifest): was missing and has been rebuilt"])
        }
        do {
            let bytes = try FileDescriptor.contents(of: layout.manifest)
            return StoredManifest(manifest: try Manifest(bytes), origin: .found)
        } catch Manifest.ReadError.newerFormat(let format) {
            throw StartError.newerFormat(path: layout.manifest, format: format)
        } catch Manifest.ReadError.damaged {
            if isRestoring { throw StartError.unfinishedRestore(path: layout.root) }
            guard rebuilds else { throw StartError.damagedManifest(path: layout.manifest) }
            try quarantine.move(layout.manifest)
            return StoredManifest(
                manifest: try rebuilt(files, now: quarantine.now), origin: .rebuilt,
                notes: ["\(layout.manifest): was damaged and has been rebuilt"])
        }
    }

    /// All files that are there, each of which may be the one that was written to.
    private static func rebuilt(
        _ files: [Int: Layout.File], now: Milliseconds
    ) throws -> Manifest {
        var manifest = Manifest(lineage: try Manifest.newLineage(now))
        manifest.spare = files.keys.sorted()
        return manifest
    }
}
