public import Foundation
internal import NavstateRules
public import Observation

/// The navigation of a SwiftUI app, kept in a session on a server.
///
/// ```swift
/// @State private var router = Router<Chat.Screen>(navstate.session("desk-1"))
///
/// var body: some View {
///     RemoteTabView(router) { screen in ScreenView(screen: screen) }
/// }
/// ```
///
/// A change of the user is shown at once, as the server's own rules carry it out, and sent to the
/// server, whose response confirms it, corrects it or takes it back. Changes made elsewhere arrive
/// through a stream. While the server cannot be reached, the router works offline, and `connection`
/// says so.
@Observable @MainActor
public final class Router<Screen: NavigationScreen> {
    /// How the router is connected.
    public private(set) var connection = Nav.Connection.connecting
    /// The reason why the last failed change was not made. Set it to nil once it has been shown. A
    /// change that has got no response has none while the router runs: `connection` says that it
    /// waits.
    public var error: NavstateError?
    /// Which state wins when the router reconnects after being offline.
    public var reconnectPolicy: ReconnectPolicy
    /// The titles, icons and presentations that the app declares. It is nil as long as the document
    /// of the app is not known, and in a free-form session.
    public private(set) var app: AppInfo?

    private var core: Prediction
    private let steps: SteppedState

    /// Nil if the router has no server.
    @ObservationIgnored private let session: RemoteSession?
    @ObservationIgnored private let stream = SharedTask()
    @ObservationIgnored private var sender: Task<Void, Never>?
    @ObservationIgnored private var waiters = Waiters()
    @ObservationIgnored private var screens = ScreenCache<Screen>()
    /// The entity tag of the document of the app, where states are kept, and the error of a change
    /// that is still to be answered.
    @ObservationIgnored private var kept: (appTag: String?, file: StateFile?, lost: NavstateError?)

    private init(
        _ session: RemoteSession?, _ core: Prediction, file: StateFile?, stepPause: Duration
    ) {
        self.session = session
        self.core = core
        reconnectPolicy = .pull
        kept = (nil, file, nil)
        let sleep = session?.requester.configuration.sleep
        steps = SteppedState(pause: stepPause, sleep: sleep ?? { _ in })
        app = core.definition.flatMap { AppInfo($0) }
        steps.show(toward: core.shown)
    }

    /// Creates a router for a session. Call `run()` to connect it, unless you use `RemoteTabView`,
    /// which does so.
    ///
    /// - Parameters:
    ///   - session: the session to show and to change.
    ///   - file: where the last confirmed state is kept. The router shows it at once, and before
    ///     the first one ever the start of the app, if its document is known.
    ///   - reconnectPolicy: which state wins when the router reconnects.
    ///   - stepPause: SwiftUI drops a sheet that is presented while another one is appearing or
    ///     disappearing. Therefore the router pauses after every change of the sheets, whoever made
    ///     it, before it presents another one.
    public convenience init(
        _ session: RemoteSession, restoringFrom file: URL? = nil,
        reconnectPolicy: ReconnectPolicy = .pull, stepPause: Duration = .milliseconds(600)
    ) {
        let definition = Self.declared
        let start = file == nil ? nil : definition.flatMap { try? LocalSession($0) }
        let file = file.map(StateFile.init)
        var core = Prediction(start, definition)
        if let state = file?.read() { core.received(state) }
        self.init(session, core, file: file, stepPause: stepPause)
        self.reconnectPolicy = reconnectPolicy
    }

    /// Creates a router that has received a state already.
    package convenience init(
        _ session: RemoteSession, reconnectPolicy: ReconnectPolicy, stepPause: Duration,
        confirmed: Nav.Session?
    ) {
        var core = Prediction(nil, Self.declared)
        if let confirmed { core.received(confirmed) }
        self.init(session, core, file: nil, stepPause: stepPause)
        self.reconnectPolicy = reconnectPolicy
    }

    /// Creates a router without a server, which carries out everything itself.
    convenience init(_ session: LocalSession, _ definition: AppDefinition?) {
        self.init(nil, Prediction(session, definition), file: nil, stepPause: .zero)
        connection = .live
    }

    /// The app that the document of the screens declares.
    private static var declared: AppDefinition? {
        guard let app = Screen.self as? any AppScreen.Type else { return nil }
        return try? AppDefinition(json: app.appDocument, id: app.appID)
    }
}

extension Router {
    /// Whether there is a state to show.
    public var isLoaded: Bool { core.shown != nil }

    /// Whether the server has answered every change of the user.
    public var isSettled: Bool { core.isQuiet }

    /// The last state that the server sent. What is shown may be ahead of it.
    public var confirmed: Nav.Session? { session == nil ? core.shown : core.confirmed }

    /// The session as it is shown.
    package var state: Nav.Session? { steps.shown }

    /// The last commands, oldest first.
    package var recentCommands: [Nav.Command] { core.recent }

    /// The session as it will be shown once all steps are done.
    var target: Nav.Session? { core.shown }

    /// Follows the session until the task is cancelled or the session ends. Concurrent calls, for
    /// example from several windows of an app, share one stream.
    ///
    /// ```swift
    /// .task { await router.run() }
    /// ```
    public func run() async {
        guard let session else { return }
        await stream.join { [weak self] in await self?.follow(session) }
    }

    /// Waits until the server has answered every change of the user, or the router is offline, and
    /// until the result is shown, which takes `stepPause` for every change of the sheets.
    public func settled() async {
        await answered()
        await steps.settled()
    }

    /// Waits until the server has answered every change of the user, or the router is offline.
    public func answered() async {
        while !isQuiet { await withCheckedContinuation { waiters.addQuiet($0) } }
    }

    /// Sends the changes that were made offline, whatever the policy is. If the server cannot be
    /// reached, nothing is lost, and the router stays offline.
    public func push() async {
        core.returned()
        update()
        await answered()
    }

    private var isQuiet: Bool { (core.isQuiet || core.isOffline) && !waiters.isBehind() }

    /// Sets what tells that a state is on its way to the router, so that `settled` waits for it.
    package func wait(while isBehind: @escaping @MainActor () -> Bool) {
        waiters.isBehind = isBehind
    }
}

// Following the stream, and coming back online.
extension Router {
    private func follow(_ session: RemoteSession) async {
        connection = .connecting
        core.started()
        do {
            for try await item in session.items() { await receive(item, session) }
            if case .ended = connection {} else { connection = .connecting }
        } catch {
            connection = .refused(NavstateError(error))
        }
        // Once the router is offline, only a stream can bring the connection back.
        if core.isOffline { waiters.failAnswers(.stopped) }
        update()
    }

    private func receive(_ item: StreamItem, _ session: RemoteSession) async {
        switch item {
        case .live, .alive: await reconnected(session)
        case .waiting: connection = .offline
        case .event(.ended(_, let ending)): end(ending)
        case .event(let event):
            // As soon as the connection is live, the document is read in any case.
            let isOutdated = receive(event) && connection == .live
            await reconnected(session)
            if isOutdated {
                update()
                await readApp(session)
            }
        }
        update()
    }

    /// Returns whether the document of the app is to be read again.
    private func receive(_ event: SessionEvent) -> Bool {
        switch event {
        case .snapshot(let change): core.received(change.session, afterGap: change.hasGap)
        case .change(let change): core.received(change.session, by: change.command)
        case .hello, .watchers, .signal, .ended: false
        }
    }

    /// The session has ended, so there is nothing to reconnect to.
    private func end(_ ending: Ending) {
        connection = .ended(ending)
        drop(core.dropAll())
    }

    /// Something has arrived, so the connection is working.
    private func reconnected(_ session: RemoteSession) async {
        if core.isOffline {
            switch reconnectPolicy {
            case .push: core.returned()
            case .pull: await pull(session)
            }
        }
        guard core.confirmed != nil, connection != .live, !core.isOffline else { return }
        if case .ended = connection { return }
        connection = .live
        update()
        await readApp(session)
    }

    /// Reads and shows the server's state, which may contain a change whose response was lost.
    private func pull(_ session: RemoteSession) async {
        do throws(NavstateError) {
            core.received(try await session.state(), afterGap: true)
            drop(core.dropAll())
        } catch {
            if error.isSessionGone { return end(.deleted) }
            note(error)
            if !error.mayPass { drop(core.dropAll()) }
        }
    }

    /// Reads the document of the app, if it is not the one that is known.
    private func readApp(_ session: RemoteSession) async {
        guard let id = core.confirmed?.app,
            let reply = try? await session.navstate.document(of: id, unless: kept.appTag),
            reply.status == 200
        else { return }
        kept.appTag = reply.fields["etag"]
        guard reply.text != core.definition?.json,
            let definition = try? AppDefinition(json: reply.text, id: id)
        else { return }
        app = AppInfo(definition)
        core.use(definition)
        update()
    }

    private func drop(_ changes: [PendingChange]) {
        guard !changes.isEmpty else { return }
        for change in changes { waiters.answer(change.number, .failure(.dropped)) }
        error = .dropped
    }
}

// Changes made by the user.
extension Router {
    /// Notes that the connection is lost, before the stream does.
    package func connectionLost() {
        connection = .offline
        update()
    }

    /// Carries out a command: shows its result and sends it.
    public func perform(_ command: Nav.Command) {
        do throws(NavstateError) {
            try change(command)
        } catch {
            self.error = error
        }
    }

    /// Presents a sheet, and waits until it is dismissed. Throws if the sheet is not presented or
    /// the task is cancelled in the meantime.
    func answer(to presentation: Nav.Command) async throws(NavstateError) -> SheetState {
        guard !Task.isCancelled else { throw .cancelled }
        let number = try change(presentation, isStrict: true)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters.add(continuation, for: number)
                if core.isOffline, !stream.isRunning { waiters.failAnswers(.stopped) }
            }
        } onCancel: {
            Task { @MainActor in waiters.answer(number, .failure(.cancelled)) }
        }
        switch try answer.get() {
        case .presented(let sheet):
            guard let session else { throw .noSheet }
            return try await session.dismissal(of: sheet)
        case .dismissed(let sheet): return sheet
        }
    }

    /// The id in the session of what is shown under this id.
    func id(of shown: String) -> String { core.id(of: shown) }

    /// Whether the app has a link for the URL.
    func hasLink(_ url: String) -> Bool { core.hasLink(url) }

    /// The screen of an entry or a sheet. Returns nil if the app does not know the route.
    func screen(of id: String, route: String, params: JSONValue) -> Screen? {
        screens.screen(of: id, route: route, params: params)
    }

    @discardableResult
    private func change(
        _ command: Nav.Command, isStrict: Bool = false
    ) throws(NavstateError) -> Int {
        let isLocal = session == nil || core.isOffline || connection == .offline
        do throws(Rejection) {
            let (number, outcome) = try core.perform(
                command, isStrict: isStrict, isLocal: isLocal)
            if session == nil { confirm(number, outcome) }
            update()
            return number
        } catch {
            throw NavstateError(error)
        }
    }

    /// Without a server, a change is confirmed at once.
    private func confirm(_ number: Int, _ outcome: Outcome?) {
        core.confirmAll()
        for sheet in outcome?.dismissals(at: core.shown?.revision ?? 0) ?? [] {
            waiters.dismissed(sheet)
        }
        waiters.asked[outcome?.added.first ?? ""] = number
    }

    private func update() {
        steps.show(toward: core.shown)
        if session != nil, sender == nil, core.canSend { sender = Task { await sendAll() } }
        if let confirmed = core.confirmed { kept.file?.keep(confirmed) }
        if isQuiet { waiters.resumeQuiet() }
    }

    private func sendAll() async {
        while let session, let change = core.nextToSend() {
            let isOutdated: Bool
            do throws(NavstateError) {
                let result = try await session.perform(change.command, options: change.options)
                noteAnswer()
                isOutdated = core.answered(result)
                let sheet = result.presentedSheet
                waiters.answer(
                    change.number, sheet.map { .success(.presented($0)) } ?? .failure(.noSheet))
            } catch {
                fail(change, error)
                isOutdated = error.wasCertainlyRefused && change.isPredicted
            }
            steps.show(toward: core.shown)
            if isOutdated { await readApp(session) }
        }
        sender = nil
        update()
    }

    private func fail(_ change: PendingChange, _ error: NavstateError) {
        guard error.wasCertainlyRefused else {
            note(error)
            core.lost()
            if connection == .live { connection = .offline }
            if !stream.isRunning { waiters.failAnswers(.stopped) }
            return
        }
        noteAnswer()
        // If another client has already dismissed the sheet, there is nothing left to do.
        if !(change.command.onlyRemoves && error.namesWhatIsGone) { self.error = error }
        waiters.answer(change.number, .failure(error))
        for dropped in core.refused() { waiters.answer(dropped.number, .failure(error)) }
    }

    /// Notes why a change is not answered yet. Without a stream the connection is not live, and
    /// only `error` informs the user.
    private func note(_ error: NavstateError) {
        guard !(error.isSilence && stream.isRunning), error != .cancelled else { return }
        (self.error, kept.lost) = (error, error)
    }

    /// A change is answered, so that the reason why it was not is over.
    private func noteAnswer() {
        if let lost = kept.lost, error == lost { error = nil }
        kept.lost = nil
    }
}
