import Foundation
import Testing

/// The files that repeat what others say.
@Suite struct GeneratedFilesTests {
    @Test func `what generate.py makes is up to date`() throws {
        let script = StyleTests.root.appending(path: "Sources/Assets/generate.py")
        let process = Foundation.Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path(), "--check"]
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // Without Python, which `env` reports by this status, the gate checks it.
        guard process.terminationStatus != 127 else { return }
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
