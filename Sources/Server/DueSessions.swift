internal import API
internal import JSON
internal import Sessions

/// Carries out what is due in sessions by itself, one session after another: sheets go when their
/// time has come, and idle commands are carried out.
final class DueSessions {
    /// A session, and how far its change has come.
    private struct Work {
        let session: DueSession
        /// The revision after which its idle command is still due: see `Service.carryOut`.
        var reconciled: Int?
    }

    private let parts: LoopParts
    /// The sessions that are being loaded, by the token of the store's answer.
    private var loading: [UInt64: Work] = [:]
    private var loaded = Queue<(work: Work, result: any LoadResult)>()
    /// The sessions to try again at once.
    private var again = Queue<Work>()
    /// Changes with single tickets whose outcome is not known yet.
    private var undecided: [Ticket: Work] = [:]
    private var lastToken = firstToken
    /// When to go on after changes had to wait.
    private var retryTime: Int64 = 0

    /// No connection has such a token.
    private static let firstToken: UInt64 = 1 << 63
    /// The sessions that are loaded, or whose changes are undecided, at the same time.
    private static let underWayMax = 256
    /// The wait after a change that could not be made, in milliseconds.
    private static let pauseMilliseconds: Int64 = 1_000
    /// The same if the store accepts changes, so that the session or its app is the reason.
    private static let longPauseMilliseconds: Int64 = 60_000
    /// The units of finding out that nothing is due yet, or of renewing some deadlines.
    private static let searchUnits = 20_000

    init(_ parts: LoopParts) { self.parts = parts }

    /// When to call `carryOutNext` next. Nil if nothing is due.
    var nextTime: Int64? {
        if !again.isEmpty || !loaded.isEmpty { return retryTime }
        guard loading.count + undecided.count < Self.underWayMax else { return nil }
        return parts.store.nextDue.map { max($0, retryTime) }
    }

    /// Whether something is due now, or is being loaded.
    var isBusy: Bool {
        !loading.isEmpty || nextTime.map { $0 <= parts.clock.now } ?? false
    }

    /// Tells the store the idle times of apps, if the apps have changed.
    func takeIdleTimes() {
        if let seconds = parts.service.takeIdleSeconds() { parts.store.setIdleSeconds(seconds) }
    }

    /// Carries out what is due in one session. Returns false if nothing is due now.
    func carryOutNext() -> Bool {
        guard let next = nextTime, next <= parts.clock.now else { return false }
        guard !parts.streams.isFarBehind else {
            retryTime = parts.clock.now + 1
            return false
        }
        if let (work, result) = loaded.popFirst() {
            parts.store.with(result) { carryOut(work, with: result) }
        } else if let work = again.popFirst() {
            carryOut(work)
        } else if let session = parts.store.takeDue(now: parts.clock.now) {
            carryOut(Work(session: session))
        } else {
            parts.share.spend(.budget(units: Self.searchUnits))
        }
        return true
    }

    private func carryOut(_ work: Work, with result: (any LoadResult)? = nil) {
        let spent = parts.service.work.unitsSpent
        let now = parts.clock.now
        let outcome = parts.service.carryOut(work.session, at: now, after: work.reconciled)
        parts.share.spend(.request)
        parts.share.spend(.budget(units: max(0, parts.service.work.unitsSpent - spent)))
        switch outcome {
        case .changed(let change):
            parts.gate.expect(change.audience, until: change.ticket)
            guard change.ticket.isSingle else { return }
            undecided[change.ticket] = Work(
                session: work.session, reconciled: change.reconciled)
        case .load(let requests):
            lastToken += 1
            loading[lastToken] = work
            parts.store.load(requests, token: lastToken, earlier: result)
        case .notDue(let time?): parts.store.postponeDue(of: work.session.id, until: time)
        case .notDue(nil): break
        case .withoutEffect: parts.store.settleIdle(of: work.session.id)
        case .failed:
            let pause =
                parts.store.refusal == nil ? Self.longPauseMilliseconds : Self.pauseMilliseconds
            parts.store.postponeDue(of: work.session.id, until: now + pause)
        }
    }

    /// Takes what was loaded for a session. Returns false if a request has asked for it.
    func take(_ result: any LoadResult) -> Bool {
        guard result.token > Self.firstToken else { return false }
        if let work = loading.removeValue(forKey: result.token) { loaded.append((work, result)) }
        return true
    }

    /// Goes on with changes that are decided. One that was not kept is looked at again: somebody
    /// else may have changed the session.
    func settle(_ outcomes: [DecidedTicket]) {
        guard !undecided.isEmpty else { return }
        for decided in outcomes {
            guard let work = undecided.removeValue(forKey: decided.ticket) else { continue }
            switch decided.outcome {
            case .kept: break
            case .conflict where work.reconciled != nil: again.append(work)
            case .conflict, .refused, .unknown:
                parts.store.postponeDue(
                    of: work.session.id, until: parts.clock.now + Self.pauseMilliseconds)
            }
        }
    }
}
