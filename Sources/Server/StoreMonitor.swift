internal import API
internal import Sessions

/// Reports the store's state to the log, and deletes expired sessions.
final class StoreMonitor {
    private let parts: LoopParts
    /// Why changes were refused at the last report.
    private var lastRefusal: StoreError?
    /// Whether parts of the store have not been read yet.
    private var isReading = false
    private var nextReadingReport: Int64 = 0
    /// When to expire sessions again after the store has refused it.
    private var retryTime: Int64 = 0

    /// How often the log says how far the reading of a store is.
    private static let readingMilliseconds: Int64 = 5_000
    /// The number of sessions that expire together.
    private static let expiriesMax = 100
    /// The wait after the store has refused to delete expired sessions.
    private static let pauseMilliseconds: Int64 = 1_000

    init(_ parts: LoopParts) { self.parts = parts }

    // MARK: - Reports

    /// Logs when the store begins to refuse changes, and when it accepts them again. If a store on
    /// this machine fails, the loop ends, and the caller of `run` logs it.
    ///
    /// - Returns: whether the store has just become unavailable, so that streams would not be told
    ///   anything.
    func reportRefusal() -> Bool {
        let refusal = parts.store.refusal
        let former = lastRefusal
        guard refusal != former else { return false }
        lastRefusal = refusal
        let facts = [("error", parts.store.refusalText ?? "")]
        switch refusal {
        case .full:
            parts.log.say(
                .warning, "the disk is full; changes are refused until there is space",
                facts: facts)
        case .noFile:
            parts.log.say(
                .error,
                "the next file of the log cannot be made; changes are refused until it can",
                facts: facts)
        case .unavailable:
            parts.log.say(
                .error, "the store is unavailable; streams end, and changes are refused",
                facts: facts)
            return true
        case nil where former == .full: parts.log.say(.notice, "there is space on the disk again")
        case nil: parts.log.say(.notice, "the store accepts changes again")
        case .busy, .damaged, .misconfigured, .notInMemory, .starting, .tooLarge: break
        }
        return false
    }

    /// Logs the store's reports of what went wrong.
    func reportTroubles() {
        for report in parts.store.takeReports() {
            parts.log.say(
                .error, report.message,
                facts: [("error", report.error)] + (report.file.map { [("file", $0)] } ?? []))
        }
    }

    /// Logs how far the reading of the store is, and what comes after it.
    func reportReading() {
        guard let reading = parts.store.reading else {
            guard isReading else { return }
            isReading = false
            parts.service.storeIsRead()
            return parts.log.say(
                .notice, "ready: all of the shared store has been read",
                facts: [("sessions", "\(parts.store.parts.reading.sessionCount)")])
        }
        guard !isReading || parts.clock.now >= nextReadingReport else { return }
        isReading = true
        nextReadingReport = parts.clock.now + Self.readingMilliseconds
        parts.log.say(
            .notice, "reading the shared store",
            facts: [
                ("read", "\(reading.messages.read)"),
                ("left", "\(reading.messages.all - reading.messages.read)"),
                ("shards", "\(reading.parts.read) of \(reading.parts.all)"),
            ])
    }

    // MARK: - Expiry

    /// When to expire sessions next, in milliseconds, or nil if no session expires.
    var nextExpiry: Int64? { parts.store.nextExpiry.map { max($0, retryTime) } }

    /// Deletes some expired sessions. Returns false if none is due.
    func expireIfDue() -> Bool {
        guard let next = nextExpiry, next <= parts.clock.now else { return false }
        guard !parts.streams.isFarBehind else {
            retryTime = parts.clock.now + 1
            return true
        }
        do {
            let deletions = try parts.store.expire(now: parts.clock.now, limit: Self.expiriesMax)
            for deletion in deletions {
                parts.gate.expect(parts.streams.audience(of: deletion.id), until: deletion.ticket)
                parts.share.spend(.request)
            }
        } catch {
            // The store logs the reason and refuses changes; it may have room again later.
            retryTime = parts.clock.now + Self.pauseMilliseconds
        }
        return true
    }
}
