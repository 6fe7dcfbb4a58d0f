internal import API
internal import POSIX
internal import Sessions

/// What the parts of the event loop share.
struct LoopParts {
    let options: ServerOptions
    let store: any Engine
    let service: Service
    let clock: TurnClock
    let connections: OpenConnections
    let share = FairShare()
    let budget: BufferBudget
    let streams: StreamHub
    let observer: RequestObserver

    init(
        options: ServerOptions, store: any Engine, service: Service, log: Log
    ) {
        self.options = options
        self.store = store
        self.service = service
        clock = TurnClock(options.clock, storeTime: store.time)
        connections = OpenConnections(at: clock.now)
        budget = BufferBudget(bytesMax: options.bufferedBytesMax)
        streams = StreamHub(service: service, clock: clock)
        observer = RequestObserver(options: options, service: service, log: log, clock: clock)
    }

    var log: Log { observer.log }
}

/// The parts that make and send answers.
struct AnswerParts {
    let reader = InputReader()
    let writer: ResponseWriter
    let gate: AnswerGate
    let backups: BackupSender
    let handler: RequestHandler
    let transport: Transport

    init(_ parts: LoopParts, _ epoll: Epoll) {
        writer = ResponseWriter(budget: parts.budget, share: parts.share, clock: parts.clock)
        gate = AnswerGate(parts)
        backups = BackupSender(store: parts.store)
        handler = RequestHandler(parts, writer, gate: gate, backups: backups)
        transport = Transport(parts, epoll: epoll, backups: backups)
    }
}
