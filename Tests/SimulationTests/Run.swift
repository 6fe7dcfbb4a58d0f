import API
import POSIX
import Server
import Storage
import TestSupport

// One run: a seed's plan carried out.
//
// The server's threads and the clients' one thread live in a `World`. A run has some lives of the
// process, each of which ends by a signal, a crash or a failure of the disk; after the last one
// the disk is well, the server starts once more, and everything that was promised is asked for.

/// A run of one seed.
final class Run {
    let world: World
    let plan: Plan
    let oracle = Oracle()
    let disk: SimulatedDisk
    private let directory: TemporaryDirectory
    private let epoll: Epoll
    private var events: [Epoll.Event] = []
    private var clients: [any Client] = []
    private var life: ServerLife?
    private var isEnding = false
    /// The story of the run, if it is to be told.
    private(set) var story: [String] = []
    private let isTold: Bool

    /// For what sockets give; shared by all clients.
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var now: Int64 { world.monotonicNanoseconds }
    /// Requests that this life may still be sent.
    var requestsLeft = 0
    /// Requests that the first worker sends before all others.
    var script: [Exchange] = []
    /// The last number that a request was given.
    var numbers = 0
    /// The beginning of the entity tags.
    var lineage: String?
    private var livesBegun = 0

    private static let endToken: UInt64 = 1 << 20

    init(seed: UInt64, isTold: Bool = false) throws(SystemError) {
        self.isTold = isTold
        world = World(seed: seed)
        plan = Plan(world)
        directory = try TemporaryDirectory(on: .memory)
        disk = SimulatedDisk(in: world, root: "\(directory.path)/0", isTold: isTold)
        epoll = try Epoll()
        for number in 0..<plan.workers { clients.append(Worker(number)) }
        for number in 0..<plan.watchers {
            clients.append(Watcher(number == 0 ? nil : "s\(world.below(plan.sessions))"))
        }
    }

    /// Carries out the plan; what went wrong is in `violations`.
    func carryOut() {
        world.run {
            do throws(SystemError) {
                for requests in plan.lives where !isOver { try live(requests) }
                if !isOver { try inspect() }
            } catch {
                oracle.complain("the simulation itself failed: \(error)")
            }
        }
    }

    var violations: [String] {
        oracle.violations + (world.stuck.map { ["the server hangs: \($0)"] } ?? [])
    }

    private var isOver: Bool { !oracle.violations.isEmpty || world.stuck != nil }

    /// The server can be reached and is not about to end.
    var isBusy: Bool { life?.result == nil && !isEnding && !disk.isDead }

    var circumstances: Circumstances {
        Circumstances(wasFullAt: disk.wasFullAt, mayRefuse: !isBusy || disk.hasFailed)
    }

    func tell(_ text: @autoclosure () -> String) {
        if isTold { story.append("\(world.nanosecondsNow / 1000) µs: \(text())") }
    }

    // MARK: - Lives

    private func live(_ requests: Int) throws(SystemError) {
        let end = plan.end(world)
        var faults = plan.faults(world)
        let dies = end != .stop && world.oneIn(3) ? world.below(160) : nil
        if end == .powerCut {
            faults += world.oneIn(2) ? [plan.lastSync(world)] : plan.lastCommit(world)
        }
        tell("a life of \(requests) requests, \(faults.map(\.description)), ends with \(end)")
        try begin(faults, diesAfter: dies)
        requestsLeft = requests
        drive { self.isIdle }
        if isBusy, disk.hasRefused { probe() }
        try finish(end)
    }

    /// After the disk has had room for long enough, changes are taken.
    private func probe() {
        tell("the disk is well from now on")
        disk.heal()
        let end = now + Circumstances.graceNanoseconds + 10_000_000_000
        drive { self.now > end }
        ask([creation("p"), navigation("s0")])
        drive { self.isIdle }
    }

    private func inspect() throws(SystemError) {
        tell("the last start")
        try begin([], diesAfter: nil)
        if plan.hasDeadlines {
            let end = now + 5_000_000_000
            drive { self.now > end }
            oracle.isLast = true
        }
        ask(inspection() + [creation("z"), navigation("z")])
        drive { self.isIdle }
        try finish(.stop)
        guard !isOver, world.oneIn(3) else { return }
        tell("started once more")
        try begin([], diesAfter: nil)
        ask(inspection())
        drive { self.isIdle }
        try finish(.stop)
    }

    private func ask(_ exchanges: [Exchange]) {
        script = exchanges
        for case let worker as Worker in clients { worker.wake() }
    }

    private var isIdle: Bool {
        requestsLeft == 0 && script.isEmpty
            && clients.allSatisfy { ($0 as? Worker)?.isIdle ?? true }
    }

    private func begin(_ faults: [DiskFault], diesAfter: Int?) throws(SystemError) {
        disk.live(faults, diesAfter: diesAfter)
        var store = StoreOptions(path: disk.root)
        store.segmentBytes = plan.segmentBytes
        store.cacheBytes = plan.cacheBytes
        store.fsync = plan.fsync
        store.keysMax = plan.keysMax
        store.disk = disk.disk
        var server = ServerOptions()
        server.connectionsMax = plan.connectionsMax
        // A table that is filled and emptied for each life; a small one takes less of a run's time.
        server.service.decodedBytesMax = 64 << 10
        try Directory.remove(address)
        isEnding = false
        let life = try ServerLife(address: try Socket.listen(path: address)) {
            [store, server] sockets in ServerLife.run(store, server, sockets)
        }
        try epoll.add(life.wakeDescriptor, .readable, token: Self.endToken)
        self.life = life
    }

    private var address: String { "\(directory.path)/socket" }

    private func finish(_ end: Plan.End) throws(SystemError) {
        guard let life else { return }
        let wasStopped = isBusy && end == .stop && !isOver
        tell("the life ends: \(wasStopped ? "stopped" : "\(end)"), disk dead: \(disk.isDead)")
        isEnding = true
        if life.result == nil {
            if !wasStopped { lose() }
            life.terminate()
            drive { false }
        }
        guard world.stuck == nil else { return }
        lose()
        life.join()
        oracle.lifeEnded()
        judge(life, wasStopped: wasStopped)
        tell("it has ended: \(life.result.map { "\($0)" } ?? "")")
        self.life = nil
        guard end == .powerCut else { return }
        livesBegun += 1
        try disk.losePower(to: "\(directory.path)/\(livesBegun)")
    }

    private func lose() {
        disk.die()
        for client in clients { client.lose(self) }
    }

    /// Whether the life could end so.
    private func judge(_ life: ServerLife, wasStopped: Bool) {
        switch life.result {
        case .refused(let why):
            if !disk.hasRefused, !disk.isDead { oracle.complain("the start is refused: \(why)") }
        case .failed(let why):
            if !disk.hasFailed, !disk.isDead {
                oracle.complain("the disk is said to have failed: \(why)")
            }
        case .stopped: break
        case .broken(let why): oracle.complain("the server ended: \(why)")
        case nil: oracle.complain("the server has not ended")
        }
    }

    // MARK: - The clients' thread

    func connect(_ client: any Client) -> FileDescriptor? {
        guard isBusy, let socket = try? Socket.connect(path: address) else { return nil }
        try? epoll.add(socket, .readable, token: token(of: client))
        return socket
    }

    func listen(to socket: FileDescriptor, _ interest: Epoll.Interest, _ client: any Client) {
        try? epoll.change(socket, interest, token: token(of: client))
    }

    private func token(of client: any Client) -> UInt64 {
        UInt64(clients.firstIndex { $0 === client } ?? clients.count)
    }

    /// Lets clients do what they want until the closure says so, or the life has ended.
    private func drive(until isDone: () -> Bool) {
        let begun = now
        while world.stuck == nil, life?.result == nil, isEnding || !isOver && isBusy, !isDone() {
            if now - begun > 1_000_000_000_000 { return world.giveUp("no end in sight") }
            let shift = world.below(clients.count)
            for index in clients.indices {
                let client = clients[(index + shift) % clients.count]
                if client.wakesAt <= now { client.act(self) }
            }
            let next = clients.reduce(now + 1_000_000_000) { min($0, $1.wakesAt) }
            let rest = max(0, Int(next - now) + 999_999) / 1_000_000
            try? epoll.wait(into: &events, timeoutMilliseconds: rest)
            // The server tells its listeners in no certain order.
            events.sort { $0.token < $1.token }
            for event in events where event.token != Self.endToken {
                clients[Int(event.token)].read(self)
            }
        }
    }
}
