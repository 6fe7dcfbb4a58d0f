import Foundation

/// The file that has the last confirmed state of a session, so that an app shows it at once when
/// it is started again.
@MainActor final class StateFile {
    private let url: URL
    private var newest: Nav.Session?
    private var writer: Task<Void, Never>?

    init(_ url: URL) { self.url = url }

    /// The state in the file. It is nil if there is none, or none that can be read.
    func read() -> Nav.Session? {
        newest = (try? Data(contentsOf: url)).flatMap {
            try? JSONDecoder().decode(Nav.Session.self, from: $0)
        }
        return newest
    }

    /// Writes the state, at most once a second. A state that cannot be written is written with the
    /// next one.
    func keep(_ state: Nav.Session) {
        guard state != newest else { return }
        newest = state
        guard writer == nil else { return }
        writer = Task {
            var written: Nav.Session?
            while let state = newest, state != written {
                await Self.write(state, to: url)
                written = state
                try? await Task.sleep(for: .seconds(1))
            }
            writer = nil
        }
    }

    nonisolated private static func write(_ state: Nav.Session, to url: URL) async {
        var options = Data.WritingOptions.atomic
        #if canImport(Darwin)
            options.insert(.completeFileProtectionUntilFirstUserAuthentication)
        #endif
        try? JSONEncoder().encode(state).write(to: url, options: options)
    }
}
