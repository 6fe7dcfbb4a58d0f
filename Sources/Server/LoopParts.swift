internal import API
internal import POSIX
internal import Sessions

/// The parts that the event loop shares.
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
    let writer: ResponseWriter
    let gate: AnswerGate
    let backups: BackupSender

    init(
        options: ServerOptions, store: any Engine, service: Service, log: Log
    ) {
        self.options = options
        self.store = store
        self.service = service
        clock = TurnClock(options.clock, storeTime: store.time)
        connections = OpenConnections(at: clock.now)
        budget = BufferBudget(bytesMax: options.bufferedBytesMax)
        observer = RequestObserver(options: options, service: service, log: log, clock: clock)
        writer = ResponseWriter(budget: budget, share: share, clock: clock)
        streams = StreamHub(service: service, writer: writer, clock: clock)
        gate = AnswerGate(store: store, connections: connections, streams: streams)
        backups = BackupSender(store: store)
    }

    var log: Log { observer.log }
}
