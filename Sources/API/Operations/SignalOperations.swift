internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// Sends a signal to the streams of one session.
struct SignalOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    func send() throws(OperationError) -> Reply {
        let json = try context.json()
        let handle = try context.find()
        try context.checkUntagged()
        try context.refuseQuery()
        var reader = ObjectReader(try json.requireObject(), at: "", work: context.work)
        let content = SignalContent(&reader)
        guard reader.faults.isEmpty, let content else { throw .problem(.invalid(reader.faults)) }
        let id = context.store.reading.summary(handle).id
        let counts = try context.deliver(content, to: [id])
        return Reply(
            ["delivered": .integer(Int64(counts.first ?? 0))],
            visibleAfter: context.store.reading.version(of: handle).ticket)
    }
}

extension RequestContext {
    /// Tells a signal to the streams of sessions, at all servers.
    ///
    /// - Returns: for each session how many streams were told, as far as other servers have
    ///   answered in time.
    func deliver(
        _ content: SignalContent, to sessions: [SessionID]
    ) throws(OperationError) -> [Int] {
        let signal = Signal(to: sessions, content, at: now, by: author)
        let elsewhere = try answer(to: .signal(signal)).counts
        return zip(service.environment.signal(signal), elsewhere).map { $0 + $1 }
    }

    /// Tells a signal to the streams of a session without waiting for other servers.
    func tell(_ content: SignalContent, to session: SessionID) {
        let signal = Signal(to: [session], content, at: now, by: author)
        _ = service.environment.signal(signal)
        service.environment.tellPeers(.signal(signal))
    }
}

extension SessionCommands {
    /// Signals that the tab which is at its root was selected once more, as a tap on it does.
    func signalReselection(
        by command: Command, _ answer: Answer, in transaction: SessionTransaction
    ) {
        guard case .select = command, answer.reason == .alreadySelected, !isDry else { return }
        let state = transaction.session.state
        let tab = state.tabs[state.selected]
        guard tab.path.isEmpty else { return }
        let data = JSONObject([("tab", .string(tab.id.rawValue))])
        context.tell(
            SignalContent(name: Self.reselect, data: JSON.object(data).bytes),
            to: transaction.session.id)
    }

    private static let reselect = SignalName(trusted: "reselect")
}
