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
/// A change of the user is shown at once and sent to the server, whose response confirms it,
/// corrects it or takes it back. Changes made elsewhere arrive through a stream. While the server
/// cannot be reached, the router works offline, and `connection` says so.
@Observable @MainActor
public final class Router<Screen: NavigationScreen> {
    /// How the router is connected.
    public private(set) var connection = Connection.connecting
    /// The reason why the last failed change was not made. Set it to nil once it has been shown.
    public var error: NavstateError?
    /// Which state wins when the router reconnects after being offline.
    public var reconnectPolicy: ReconnectPolicy

    private var core = RouterCore()
    private let steps: SteppedState

    @ObservationIgnored private let session: RemoteSession
    @ObservationIgnored private let stream = SharedTask()
    @ObservationIgnored private var sender: Task<Void, Never>?
    @ObservationIgnored private var waiters = Waiters()
    @ObservationIgnored private var screens = ScreenCache<Screen>()

    /// Creates a router for a session. Call `run()` to connect it, unless you use `RemoteTabView`,
    /// which does so. SwiftUI drops a sheet that is presented while another one is appearing or
    /// disappearing. Therefore the router pauses for `stepPause` after every change of the sheets,
    /// whoever made it, before it presents another one.
    public init(
        _ session: RemoteSession, reconnectPolicy: ReconnectPolicy = .pull,
        stepPause: Duration = .milliseconds(600)
    ) {
        self.session = session
        self.reconnectPolicy = reconnectPolicy
        steps = SteppedState(pause: stepPause)
    }
}

extension Router {
    /// Whether the router has received a state from the server.
    public var isLoaded: Bool { core.confirmed != nil }

    /// Whether the server has answered every change of the user.
    public var isSettled: Bool { core.isQuiet }

    /// The last state that the server sent. What is shown may be ahead of it.
    public var confirmed: Session? { core.confirmed }

    /// What is shown.
    var state: NavigationState { steps.shown }

    /// What will be shown once all steps are done.
    var target: NavigationState { core.target }

    /// Follows the session until the task is cancelled or the session ends. Concurrent calls, for
    /// example from several windows of an app, share one stream.
    ///
    /// ```swift
    /// .task { await router.run() }
    /// ```
    public func run() async {
        await stream.join { [weak self] in await self?.follow() }
    }

    /// Waits until the server has answered every change of the user, or the router is offline, and
    /// until the result is shown, which takes `stepPause` for every change of the sheets.
    public func settled() async {
        await answered()
        await steps.settled()
    }

    /// Waits until the server has answered every change of the user, or the router is offline.
    func answered() async {
        guard !core.isQuiet, !core.isOffline else { return }
        await withCheckedContinuation { waiters.addQuiet($0) }
    }

    /// Replaces the selected tab, the paths and the sheets on the server with those that are shown
    /// here, including whatever was done offline. If the server cannot be reached, nothing is lost,
    /// and the router stays offline.
    public func push() async {
        await answered()
        do throws(NavstateError) {
            try await restore()
        } catch {
            giveUp(error)
        }
        update()
    }
}

// Following the stream, and coming back online.
extension Router {
    private func follow() async {
        connection = .connecting
        core.started()
        do {
            for try await item in session.items() { await receive(item) }
            if case .ended = connection {} else { connection = .connecting }
        } catch {
            connection = .refused(NavstateError(error))
        }
        // Once the router is offline, only a stream can bring the connection back.
        if core.isOffline { waiters.failAnswers(.stopped) }
    }

    private func receive(_ item: StreamItem) async {
        switch item {
        case .live, .alive: await reconnected()
        case .waiting: connection = .offline
        case .event(.ended(_, let ending)): end(ending)
        case .event(let event):
            receive(event)
            await reconnected()
        }
        update()
    }

    private func receive(_ event: SessionEvent) {
        switch event {
        case .snapshot(let change): core.received(change.session, afterGap: change.hasGap)
        case .change(let change): core.received(change.session)
        case .hello, .watchers, .signal, .ended: break
        }
    }

    /// The session has ended, so there is nothing to reconnect to.
    private func end(_ ending: Ending) {
        connection = .ended(ending)
        drop(core.returned())
    }

    /// Something has arrived, so the connection is working.
    private func reconnected() async {
        if core.isOffline {
            do throws(NavstateError) {
                switch reconnectPolicy {
                case .push: try await restore()
                case .pull: try await reload()
                }
            } catch {
                return giveUp(error)
            }
        }
        connection = .live
    }

    /// Reads and shows the server's state, which may contain a change whose response was lost.
    private func reload() async throws(NavstateError) {
        let state = try await session.state()
        core.received(state, afterGap: core.isOffline)
        drop(core.returned())
    }

    /// Writes what is shown here into the current state on the server.
    private func restore() async throws(NavstateError) {
        // Before the server has sent a state, nothing is shown that could be written.
        guard isLoaded else { return try await reload() }
        var (own, last) = (NavigationState(), 0)
        let restored = try await session.rewrite { state throws(NavstateError) in
            // Whatever the user does while the state is being sent is applied after it.
            last = core.pending.last?.number ?? 0
            own = core.own(over: state)
            return try core.document(of: own, over: state)
        }
        keep(core.restored(restored, from: own, upTo: last))
    }

    /// Handles a failure to read or write the server's state.
    private func giveUp(_ error: NavstateError) {
        if error.mayPass {
            if core.isOffline, connection == .live { connection = .offline }
        } else if error.isSessionGone {
            end(.deleted)
        } else {
            drop(core.returned())
            connection = .live
        }
        if error != .cancelled { self.error = error }
    }

    /// Resolves the waiters of changes that the server has now taken over.
    private func keep(_ operations: [RouterCore.Operation]) {
        for operation in operations {
            let sheet = operation.change.added.first.flatMap(core.serverID)
            waiters.answer(operation.number, sheet.map { .success($0) } ?? .failure(.noSheet))
        }
    }

    private func drop(_ operations: [RouterCore.Operation]) {
        guard !operations.isEmpty else { return }
        for operation in operations { waiters.answer(operation.number, .failure(.dropped)) }
        error = .dropped
    }
}

// Changes made by the user.
extension Router {
    /// Shows a change of the user and sends it.
    func change(_ change: LocalChange) {
        guard canPerform(change) else { return }
        core.perform(change)
        if core.isShownAtOnce(change) { steps.show(change, toward: core.target) }
        update()
    }

    /// Presents a sheet, waits until the server has presented it too, and returns the server's id
    /// for it. Throws if the sheet is not presented or the task is cancelled in the meantime.
    func answer(to presentation: LocalChange) async throws(NavstateError) -> String {
        guard !Task.isCancelled else { throw .cancelled }
        let number = core.perform(presentation, isStrict: true)
        if core.isShownAtOnce(presentation) { steps.show(presentation, toward: core.target) }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters.add(continuation, for: number)
                update()
                if core.isOffline, !stream.isRunning { waiters.failAnswers(.stopped) }
            }
        } onCancel: {
            Task { @MainActor in waiters.answer(number, .failure(.cancelled)) }
        }
        return try answer.get()
    }

    func makeID() -> String { core.makeID() }

    /// The id under which a container is shown.
    func shownID(of container: String) -> String { core.shownID(of: container) }

    /// The screen of an entry or a sheet. Returns nil if the app does not know the route.
    func screen(of id: String, route: String, params: JSONValue) -> Screen? {
        screens.screen(of: id, route: route, params: params)
    }

    /// Waits until a sheet that was presented here is dismissed.
    func dismissal(of sheet: String) async throws(NavstateError) -> SheetState {
        try await session.dismissal(of: sheet)
    }

    /// Refuses commands that only the server can carry out while it cannot be reached.
    private func canPerform(_ change: LocalChange) -> Bool {
        guard case .command = change, core.isOffline else { return true }
        error = .unreachable("The server cannot be reached.")
        return false
    }

    private func update() {
        steps.show(toward: core.target)
        if sender == nil, !core.isQuiet { sender = Task { await sendAll() } }
        if core.isQuiet || core.isOffline { waiters.resumeQuiet() }
    }

    private func sendAll() async {
        while let (operation, command) = core.nextToSend() {
            do throws(NavstateError) {
                let options = ChangeOptions(isStrict: operation.isStrict)
                let result = try await session.perform(command, options: options)
                core.answered(result)
                let sheet = result.presentedSheet
                waiters.answer(operation.number, sheet.map { .success($0) } ?? .failure(.noSheet))
            } catch {
                fail(operation, error)
            }
            steps.show(toward: core.target)
        }
        sender = nil
        if core.isQuiet || core.isOffline { waiters.resumeQuiet() }
    }

    private func fail(_ operation: RouterCore.Operation, _ error: NavstateError) {
        // If another client has already dismissed the sheet, there is nothing left to do.
        let isDone = operation.change.onlyRemoves && error.namesWhatIsGone
        if !isDone { self.error = error }
        guard error.wasCertainlyRefused else {
            core.lost()
            // Without a stream the connection is not live, and only `error` informs the user.
            if connection == .live { connection = .offline }
            if !stream.isRunning { waiters.failAnswers(.stopped) }
            return
        }
        core.refused()
        waiters.answer(operation.number, .failure(error))
    }
}

/// How a router is connected to its session.
public enum Connection: Sendable, Hashable {
    /// The router has not been started or has not reached the server yet.
    case connecting
    /// Changes arrive as they happen.
    case live
    /// The connection was lost, and the router is trying to reconnect. It carries on with its local
    /// state.
    case offline
    /// The session was deleted or has expired.
    case ended(Ending)
    /// The server refuses the connection, for example because the token was revoked.
    case refused(NavstateError)
}

/// Which state wins when a router reconnects after being offline.
public enum ReconnectPolicy: Sendable, Hashable {
    /// The server's state. Changes made offline are dropped, and `error` says so.
    case pull
    /// The router's local state. Its selected tab, paths and sheets replace those on the server.
    case push
}
