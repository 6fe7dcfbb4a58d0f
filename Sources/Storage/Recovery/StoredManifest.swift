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
        /// There was no store.
        case new
        /// It was missing or damaged, and was rebuilt from the files.
        case rebuilt
    }

    /// Reads the manifest.
    ///
    /// - Parameters:
    ///   - files: the files of the log.
    ///   - quarantine: takes a damaged manifest, so that it is rebuilt. Nil if a missing or damaged
    ///     manifest is refused.
    static func read(
        _ layout: Layout, _ files: [Int: Layout.File], rebuilding quarantine: Quarantine?,
        now: Milliseconds
    ) throws(StartError) -> StoredManifest {
        let isRestoring = try StartError.catching(try Directory.status(layout.restoring)) != nil
        guard try StartError.catching(try Directory.status(layout.manifest)) != nil else {
            if isRestoring { throw .unfinishedRestore(path: layout.root) }
            // If the very first start was interrupted before it wrote the manifest, there are no
            // records.
            let isEmpty = files.values.allSatisfy { $0.size == 0 }
            guard isEmpty || quarantine != nil else { throw .noManifest(path: layout.manifest) }
            return StoredManifest(
                manifest: rebuilt(files, now: now),
                origin: isEmpty ? .new : .rebuilt,
                notes: isEmpty ? [] : ["\(layout.manifest): was missing and has been rebuilt"])
        }
        let bytes = try StartError.catching(try FileDescriptor.contents(of: layout.manifest))
        let damage: Manifest.ReadError
        do throws(Manifest.ReadError) {
            return StoredManifest(manifest: try Manifest(bytes), origin: .found)
        } catch {
            damage = error
        }
        guard damage == .damaged, !isRestoring, let quarantine else {
            throw StartError(damage, layout, isRestoring: isRestoring)
        }
        try StartError.catching(try quarantine.move(layout.manifest))
        let manifest = rebuilt(files, now: now)
        return StoredManifest(
            manifest: manifest, origin: .rebuilt,
            notes: ["\(layout.manifest): was damaged and has been rebuilt"])
    }

    /// All existing files, any of which may be the one that was written to.
    private static func rebuilt(
        _ files: [Int: Layout.File], now: Milliseconds
    ) -> Manifest {
        var manifest = Manifest(lineage: Manifest.newLineage(now))
        manifest.spare = files.keys.sorted()
        return manifest
    }
}

extension StartError {
    /// Says why a manifest cannot be read.
    init(_ error: Manifest.ReadError, _ layout: Layout, isRestoring: Bool) {
        switch error {
        case .newerFormat(let format):
            self = .newerFormat(path: layout.manifest, format: format)
        case .olderFormat: self = .olderFormat(path: layout.root)
        case .damaged:
            self =
                isRestoring
                ? .unfinishedRestore(path: layout.root) : .damagedManifest(path: layout.manifest)
        }
    }
}
