public import API
internal import POSIX
internal import Sessions

// SIGHUP: the settings that can change while the server runs are read again.
//
// Files can be slow, and reading a large app takes a while. Both happen on a thread of their own,
// and the loop keeps serving. It applies the settings in one turn, and only if all of them are
// valid; otherwise everything stays as it is, and the log says why.

/// Settings that can change while the server runs, read and checked.
public struct ReloadedSettings: Sendable {
    /// The tokens of the server; those of sessions are in the store.
    public var tokens: Tokens
    /// Apps to be stored.
    public var apps: [CheckedApp]
    /// The least important level that is logged.
    public var logLevel: LogLevel

    public init(tokens: Tokens, apps: [CheckedApp], logLevel: LogLevel) {
        self.tokens = tokens
        self.apps = apps
        self.logLevel = logLevel
    }
}

/// Why the settings stay as they are, as text for the log.
public struct ReloadError: Error, Sendable {
    /// A sentence without a full stop.
    public var message: String

    public init(_ message: String) { self.message = message }
}

/// Reads the settings again and applies them, one time after another.
final class Reloader {
    private typealias Outcome = Result<ReloadedSettings, ReloadError>

    private let parts: LoopParts
    private let read: @Sendable () throws(ReloadError) -> ReloadedSettings
    private let wakeUp: WakeUp
    private let outcome = Lock(Outcome?.none)
    private var thread: Thread?
    /// Another reload was requested during this one, which may have missed later changes.
    private var isWantedAgain = false
    /// The changes of apps that the store has not decided yet.
    private var undecided: Set<Ticket> = []

    init(
        _ parts: LoopParts, _ read: @escaping @Sendable () throws(ReloadError) -> ReloadedSettings
    ) throws(SystemError) {
        self.parts = parts
        self.read = read
        wakeUp = try WakeUp()
    }

    /// Readable when `finish` is to be called.
    var wakeDescriptor: FileDescriptor { wakeUp.descriptor }

    /// Begins to read the settings, or does so again after the reload that is in progress.
    func begin() {
        ServiceManager.say("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicNanoseconds / 1000)")
        isWantedAgain = thread != nil
        guard !isWantedAgain else { return }
        do { try start() } catch {
            parts.log.say(.error, "reload failed: \(error.description)")
            ServiceManager.say("READY=1")
        }
    }

    private func start() throws(SystemError) {
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

    /// Applies what was read, if the thread is done.
    func finish() {
        wakeUp.clear()
        guard let found = outcome.withLock({ $0.take() }) else { return }
        thread?.join()
        thread = nil
        do throws(ReloadError) { try apply(try found.get()) } catch { report(error) }
        if isWantedAgain { begin() } else { ServiceManager.say("READY=1") }
    }

    private func report(_ error: ReloadError) {
        parts.log.say(.error, "reload failed: \(error.message)")
    }

    /// Reads the settings again if another node has changed one of the apps first.
    func settle(_ outcomes: [DecidedTicket]) {
        guard !undecided.isEmpty else { return }
        for decided in outcomes where undecided.remove(decided.ticket) != nil {
            switch decided.outcome {
            case .kept: break
            case .conflict: begin()
            case .refused, .unknown:
                report(ReloadError("the store did not keep an app; send SIGHUP again"))
            }
        }
    }

    /// Applies all settings or none: those that can be refused come first.
    private func apply(_ settings: ReloadedSettings) throws(ReloadError) {
        let service = parts.service
        guard service.isOpen || !settings.tokens.isEmpty else {
            throw ReloadError("all tokens were removed; restart to serve without tokens")
        }
        do throws(Problem) {
            let tickets = try service.store(settings.apps, at: parts.clock.now)
            undecided.formUnion(tickets.singles)
        } catch {
            throw ReloadError("the apps cannot be stored now: \(error.detail)")
        }
        service.replaceTokens(settings.tokens)
        parts.log.level = settings.logLevel
        parts.log.say(.notice, "reloaded", facts: [("logLevel", settings.logLevel.name)])
    }
}
