public import Observation

/// The navigation of a SwiftUI app, kept in a session on a server.
///
/// ```swift
/// @State private var router = Router<Screen>(navstate.session("kiosk-1"))
///
/// var body: some View {
///     RemoteTabView(router) { screen in ScreenView(screen: screen) }
/// }
/// ```
///
/// What the user does is shown at once and sent to the server. The answer confirms it, corrects it
/// or takes it back. What others do arrives through a stream. Without a connection the router goes
/// on by itself, and `connection` says so.
@Observable @MainActor
public final class Router<Screen: NavigationScreen> {
    /// How the router is connected.
    public private(set) var connection = Connection.connecting
    /// Why the last change that failed was not made. Set it to nil once it was shown.
    public var error: NavstateError?
    /// Whose state counts after the router was offline.
    public var reconnectPolicy: ReconnectPolicy

    private var core = RouterCore()
    private var shown = NavigationState()

    @ObservationIgnored private let session: RemoteSession
    @ObservationIgnored private let stepPause: Duration
    @ObservationIgnored private var sender: Task<Void, Never>?
    @ObservationIgnored private var stepper: Task<Void, Never>?
    @ObservationIgnored private var results: [Int: CheckedContinuation<Answer, Never>] = [:]
    @ObservationIgnored private var quiet: [CheckedContinuation<Void, Never>] = []

    typealias Answer = Result<CommandResult, NavstateError>

    /// A router for a session. Call `run()` to connect it; `RemoteTabView` does. Where SwiftUI
    /// cannot show a change from elsewhere at once, such as two sheets, the router pauses for
    /// `stepPause` between the steps.
    public init(
        _ session: RemoteSession, reconnectPolicy: ReconnectPolicy = .pull,
        stepPause: Duration = .milliseconds(600)
    ) {
        self.session = session
        self.reconnectPolicy = reconnectPolicy
        self.stepPause = stepPause
    }
}

extension Router {
    /// Whether the router has received a state from the server.
    public var isLoaded: Bool { core.confirmed != nil }

    /// Whether every change of the user has been answered.
    public var isSettled: Bool { core.isQuiet }

    /// The last state that the server has sent. What is shown may be ahead of it.
    public var confirmed: Session? { core.confirmed }

    /// What is shown.
    var state: NavigationState { shown }

    /// What will be shown once all steps are done.
    var target: NavigationState { core.target }

    /// Follows the session until the task is cancelled or the session has ended.
    ///
    /// ```swift
    /// .task { await router.run() }
    /// ```
    public func run() async {
        do {
            for try await item in session.items() { await receive(item) }
            if case .ended = connection { return }
            connection = .connecting
        } catch {
            connection = .refused(NavstateError(error))
        }
    }

    /// Waits until every change of the user has been answered, or the router is offline.
    public func settled() async {
        guard !core.isQuiet, !core.isOffline else { return }
        await withCheckedContinuation { quiet.append($0) }
    }

    /// Replaces the server's state with the one that is shown here, with whatever was done offline.
    public func push() async {
        await settled()
        guard let state = core.ownState else { return }
        // What the user does while the state is sent comes after it.
        let (own, last) = (core.target, core.pending.last?.number ?? 0)
        do throws(NavstateError) {
            let session = try await session.restore(state)
            forget(core.restored(session, from: own, upTo: last))
        } catch {
            self.error = error
            forget(core.returned())
        }
        update()
    }

    private func receive(_ item: StreamItem) async {
        switch item {
        case .live, .alive: await comeBack()
        case .waiting: connection = .offline
        case .event(let event):
            await comeBack()
            receive(event)
        }
        update()
    }

    private func receive(_ event: SessionEvent) {
        switch event {
        case .snapshot(let change): core.received(change.session, afterGap: change.hasGap)
        case .change(let change): core.received(change.session)
        case .ended(_, let ending): connection = .ended(ending)
        case .hello, .watchers: break
        }
    }

    /// Something has arrived, so the connection works.
    private func comeBack() async {
        connection = .live
        guard core.isOffline else { return }
        switch reconnectPolicy {
        case .push: await push()
        case .pull: forget(core.returned())
        }
    }

    private func forget(_ operations: [RouterCore.Operation]) {
        for operation in operations {
            let error = NavstateError.unreachable("The change was made without a connection.")
            results.removeValue(forKey: operation.number)?.resume(returning: .failure(error))
        }
    }
}

extension Router {
    /// Shows a change of the user and sends it.
    func change(_ change: LocalChange) {
        guard canPerform(change) else { return }
        shown.apply(change)
        core.perform(change)
        update()
    }

    /// The same, and waits for the answer. A change that has nothing to do is refused.
    func answer(to change: LocalChange) async throws(NavstateError) -> CommandResult {
        let answer: Answer = await withCheckedContinuation { continuation in
            guard canPerform(change) else {
                return continuation.resume(returning: .failure(.unreachable("offline")))
            }
            shown.apply(change)
            results[core.perform(change, isStrict: true)] = continuation
            update()
        }
        return try answer.get()
    }

    func makeID() -> String { core.makeID() }

    /// The id under which a container is shown.
    func shownID(of container: String) -> String { core.shownID(of: container) }

    /// Waits for a sheet that was presented here until it is dismissed.
    func dismissal(of sheet: String) async throws(NavstateError) -> SheetState {
        try await session.dismissal(of: sheet)
    }

    /// What only the server can do is refused while it cannot be reached.
    private func canPerform(_ change: LocalChange) -> Bool {
        guard case .command = change, core.isOffline else { return true }
        error = .unreachable("The server cannot be reached.")
        return false
    }

    private func update() {
        showNextStep()
        if sender == nil, !core.isQuiet { sender = Task { await sendAll() } }
        tellQuiet()
    }

    private func tellQuiet() {
        guard core.isQuiet || core.isOffline else { return }
        quiet.forEach { $0.resume() }
        quiet = []
    }

    private func sendAll() async {
        while let (operation, command) = core.nextToSend() {
            let options = ChangeOptions(isStrict: operation.isStrict)
            var answer: Answer
            do throws(NavstateError) {
                let result = try await session.perform(command, options: options)
                core.answered(result)
                answer = .success(result)
            } catch {
                fail(error)
                answer = .failure(error)
            }
            results.removeValue(forKey: operation.number)?.resume(returning: answer)
            showNextStep()
        }
        sender = nil
        tellQuiet()
    }

    private func fail(_ error: NavstateError) {
        self.error = error
        switch error {
        case .unreachable, .timedOut, .cancelled:
            core.lost()
            // Whoever has no stream is told by the error alone.
            if connection == .live { connection = .offline }
        case .refused, .unexpected, .unencodable: core.refused()
        }
    }
}

extension Router {
    /// Shows what should be shown, or the first step on the way there, and the others later.
    private func showNextStep() {
        guard stepper == nil, shown != core.target else { return }
        shown = shown.step(toward: core.target)
        guard shown != core.target else { return }
        stepper = Task {
            while !Task.isCancelled, shown != core.target {
                try? await Task.sleep(for: stepPause)
                shown = shown.step(toward: core.target)
            }
            stepper = nil
        }
    }
}
