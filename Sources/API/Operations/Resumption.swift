internal import Bytes
internal import HTTP
internal import Navigation
internal import Sessions

/// The last event that the client of a stream has received: its id.
enum Resumption {
    /// The client begins.
    case none
    /// The id of an event of one session, or of any event in a store with one log.
    case number(SequenceNumber)
    /// The id of an event of several sessions in a store with several logs.
    case position(FeedPosition)
    /// An id that no event of this store has, so that the stream begins with a gap.
    case unknown

    /// Reads `Last-Event-ID` or `?after=`. A browser that connects again sends both, and what the
    /// stream began after is then the older one.
    init(_ context: RequestContext, _ query: Query) throws(OperationError) {
        let known = context.service.caches.changes.position
        self = .none
        if let text = query.value("after") {
            self.init(text, in: known)
            // A client may still have the id of an event from another kind of store.
            if case .unknown = self, !FeedPosition.hasForm(text.utf8) {
                throw .problem(.invalidQuery("after", "must be the id of an event"))
            }
        }
        let text = context.request.value(of: .lastEventID) ?? ""
        if !text.isEmpty { self.init(text, in: known) }
    }

    private init(_ text: String, in known: FeedPosition) {
        if let number = Decimal.number(text.utf8, digitsMax: Self.digitsMax) {
            self = .number(SequenceNumber(number))
        } else if let position = FeedPosition(text.utf8, inStoreOf: known) {
            self = .position(position)
        } else {
            self = .unknown
        }
    }

    /// The number of digits of 2^53, below which all numbers are.
    private static let digitsMax = 16

    /// Whether the client has received anything.
    var isResumed: Bool { if case .none = self { false } else { true } }

    /// The position of the client in a stream of several sessions. It is nil if it is unknown.
    ///
    /// - Parameter fed: a position in this store.
    func position(in fed: FeedPosition) -> FeedPosition? {
        switch self {
        case .none, .unknown: nil
        case .number(let number): fed.hasSeveralLogs ? nil : FeedPosition(number)
        case .position(let position): position
        }
    }

    /// The position of the client in the stream of one session. It is nil if it is unknown.
    ///
    /// - Parameters:
    ///   - fed: a position in this store.
    ///   - newest: the number of the session's newest record.
    func position(
        in fed: FeedPosition, ofSessionAt newest: SequenceNumber
    ) -> FeedPosition? {
        guard case .number(let number) = self, fed.hasSeveralLogs else { return position(in: fed) }
        return number.log == newest.log ? fed.replacing(with: number) : nil
    }
}
