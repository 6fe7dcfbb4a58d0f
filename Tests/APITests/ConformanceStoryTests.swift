import FoundationEssentials
import JSON
import Testing

/// The stories of the published contract, told to the service without a connection. The gate also
/// tells them to a server.
@Suite struct ConformanceStoryTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/conformance/stories")
    private static let files =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

    private static func chapter(_ file: String) throws -> JSON {
        try JSON(parsing: Array(Data(contentsOf: folder.appending(path: file))))
    }

    @Test(arguments: files)
    func `stories hold without a connection`(_ file: String) throws {
        try tell(file, forgetful: false)
    }

    /// Each record that the service needs has to be loaded before it can be used.
    @Test(arguments: files)
    func `stories hold over a store that has nothing in memory`(_ file: String) throws {
        try tell(file, forgetful: true)
    }

    private func tell(_ file: String, forgetful: Bool) throws {
        guard case .object(let chapter) = try Self.chapter(file) else { return }
        let client = try Client()
        client.store.isForgetful = forgetful
        for (number, value) in (chapter["stories"]?.array ?? []).enumerated() {
            guard case .object(let story) = value, Story.isInProcess(story, in: chapter) else {
                continue
            }
            var told = Story(story, in: chapter, number: number, client: client)
            do { try told.run() } catch {
                Issue.record("\(story["id"]?.string ?? ""): \(error)")
            }
        }
    }

    @Test func `most stories need no connection`() throws {
        let all = try Self.files.flatMap { file -> [Bool] in
            guard case .object(let chapter) = try Self.chapter(file) else { return [] }
            return (chapter["stories"]?.array ?? []).compactMap {
                if case .object(let story) = $0 {
                    Story.isInProcess(story, in: chapter)
                } else {
                    nil
                }
            }
        }
        #expect(all.count { $0 } > 700)
    }
}
