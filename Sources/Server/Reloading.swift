package import API
internal import POSIX

// SIGHUP: what can be set while the server runs is read again.
//
// Files can be slow, and reading a large app takes a while. Both happen on a thread of its own,
// and the loop goes on meanwhile. It takes over what was read in one turn, and only if all of
// it is right; otherwise everything stays as it is, and the log says why.

/// What can be set while the server runs, read and checked.
package struct ReloadedSettings: Sendable {
    package var tokens: Tokens
    package var apps: [CheckedApp]
    package var logLevel: LogLevel

    package init(tokens: Tokens, apps: [CheckedApp], logLevel: LogLevel) {
        self.tokens = tokens
        self.apps = apps
        self.logLevel = logLevel
    }
}

/// Why the settings stay as they are, for people.
package struct ReloadError: Error, Sendable {
    package var message: String

    package init(_ message: String) { self.message = message }
}

/// Reads the settings again, one time after another.
final class Reloader {
    typealias Outcome = Result<ReloadedSettings, ReloadError>

    /// Its descriptor becomes readable when there is something to `take`.
    let wakeUp: WakeUp
    /// It was asked for while it read, and may have missed what changed since.
    private(set) var isWantedAgain = false
    private let read: @Sendable () throws(ReloadError) -> ReloadedSettings
    private let outcome = Lock(Outcome?.none)
    private var thread: Thread?

    init(
        _ read: @escaping @Sendable () throws(ReloadError) -> ReloadedSettings
    ) throws(SystemError) {
        self.read = read
        wakeUp = try WakeUp()
    }

    func begin() throws(SystemError) {
        isWantedAgain = thread != nil
        guard !isWantedAgain else { return }
        let (read, outcome, wakeUp) = (read, outcome, wakeUp)
        thread = try Thread(named: "reload") {
            let result: Outcome
            do throws(ReloadError) { result = .success(try read()) } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            wakeUp.signal()
        }
    }

    /// What was read; nil if nothing was since the last call.
    func take() -> Outcome? {
        wakeUp.clear()
        guard let found = outcome.withLock({ $0.take() }) else { return nil }
        thread?.join()
        thread = nil
        return found
    }
}

extension EventLoop {
    /// Begins to read the settings again.
    func reload() {
        guard let reloader else { return }
        ServiceManager.say("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicNanoseconds / 1000)")
        do { try reloader.begin() } catch {
            log.say(.error, "reload failed: \(error.description)")
            ServiceManager.say("READY=1")
        }
    }

    /// Takes over what was read.
    func takeReloaded() {
        guard let reloader, let outcome = reloader.take() else { return }
        do throws(ReloadError) {
            try take(over: try outcome.get())
        } catch {
            log.say(.error, "reload failed: \(error.message)")
        }
        if reloader.isWantedAgain { reload() } else { ServiceManager.say("READY=1") }
    }

    /// All of it or nothing: what can be refused comes first.
    private func take(over settings: ReloadedSettings) throws(ReloadError) {
        guard service.isOpen || !settings.tokens.isEmpty else {
            throw ReloadError("all tokens were removed; restart to serve without tokens")
        }
        do throws(Problem) { try service.store(settings.apps, at: now) } catch {
            throw ReloadError("the apps cannot be stored now: \(error.detail)")
        }
        service.replaceTokens(settings.tokens)
        log.level = settings.logLevel
        log.say(.notice, "reloaded", [("logLevel", settings.logLevel.name)])
    }
}
