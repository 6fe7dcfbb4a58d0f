import POSIX

/// A client of the nodes: asked to do something when its time has come, or when its socket has
/// something to read.
protocol NodeClient: AnyObject {
    /// When it wants to do something, in monotonic nanoseconds.
    var wakesAt: Int64 { get }
    /// The node that it is connected to.
    var node: Int? { get }
    func act(_ run: ClusterRun)
    func read(_ run: ClusterRun)
    /// The connection is gone.
    func lose(_ run: ClusterRun)
}

/// A client that sends one request after another, each to any node. A change with a key is sent
/// again if its outcome is not known, and at times if it is, mostly to another node.
final class ClusterWorker: NodeClient {
    private let number: Int
    private(set) var wakesAt: Int64 = 0
    private(set) var node: Int?
    private var socket: FileDescriptor?
    private var reader = ResponseReader()
    private var body: [UInt8] = []
    private var head: ResponseReader.Head?
    /// Sent, and not answered.
    private var waiting: ClusterExchange?
    /// To be sent again with its key.
    private var inDoubt: ClusterExchange?

    /// A client gives up after this many seconds. A node that starts lets it wait, and while every
    /// fourth message is lost, a start takes minutes.
    private static let patience: Int64 = 300
    private static let patienceNanoseconds = patience * 1_000_000_000

    init(_ number: Int) { self.number = number }

    /// There may be something to do.
    func wake() { wakesAt = 0 }

    var isIdle: Bool { waiting == nil && inDoubt == nil }

    func act(_ run: ClusterRun) {
        if waiting == nil {
            begin(run)
        } else if let exchange = waiting, run.now - exchange.sentAt > Self.patienceNanoseconds {
            run.oracle.complain("\(exchange.name): no answer after \(Self.patience) seconds")
            leave(run)
        } else {
            wakesAt = run.now + Self.patienceNanoseconds
        }
    }

    private func rest(_ run: ClusterRun, _ most: Int64) {
        wakesAt = run.now + 1 + Int64(run.world.below(Int(most)))
    }

    // MARK: - Asking

    private func begin(_ run: ClusterRun) {
        guard var next = inDoubt ?? run.nextExchange() else { return wakesAt = .max }
        let isAgain = inDoubt != nil
        inDoubt = next
        guard connect(run, next) else { return rest(run, 20_000_000) }
        inDoubt = nil
        next.isRepeated = isAgain && next.life > 0
        guard let node, let socket else { return }
        run.oracle.begin(&next, at: run.life(of: node), now: run.now)
        run.tell("client \(number) → \(node): \(next.name)")
        waiting = next
        do {
            var sent = 0
            while sent < next.request.count {
                sent += try socket.send(next.request, sent..<next.request.count) ?? 0
            }
            wakesAt = run.now + Self.patienceNanoseconds
        } catch {
            leave(run)
        }
    }

    /// Connects to the node that the request is for, or to one that is chosen by chance.
    private func connect(_ run: ClusterRun, _ exchange: ClusterExchange) -> Bool {
        var wanted = exchange.node ?? run.world.below(run.plan.nodes)
        // A request that is sent again goes to another node, mostly.
        if exchange.node == nil, exchange.life > 0, wanted == node || run.world.oneIn(2) {
            wanted = (wanted + 1) % run.plan.nodes
        }
        if socket != nil, node == wanted { return true }
        (socket, node) = (nil, nil)
        guard let new = run.connect(self, to: wanted) else { return false }
        (reader, body, head) = (ResponseReader(), [], nil)
        (socket, node) = (new, wanted)
        return true
    }

    // MARK: - Being answered

    func read(_ run: ClusterRun) {
        guard let socket else { return }
        guard let received = try? socket.receive(into: &run.buffer, 0..<run.buffer.count) else {
            return
        }
        guard received > 0 else { return leave(run) }
        reader.append(run.buffer[..<received])
        while let part = reader.next() {
            switch part {
            case .head(let new): head = new
            case .data(let bytes): body += bytes
            case .end: answered(run)
            }
        }
        if let fault = reader.fault {
            run.oracle.complain("client \(number): \(fault)")
            leave(run)
        }
    }

    private func answered(_ run: ClusterRun) {
        guard let head, let exchange = waiting else {
            return run.oracle.complain("client \(number): an answer that nobody asked for")
        }
        waiting = nil
        run.look()
        run.tell("client \(number) ← \(head.status) \(head.tag ?? "") to \(exchange.name)")
        run.oracle.took(run.now - exchange.sentAt, exchange.name)
        if !run.oracle.answered(exchange, head, body) {
            doubt(exchange, run)
        } else if head.status < 300, exchange.isRepeatable, !run.oracle.hasSettled {
            // As if the answer had been lost.
            if run.world.oneIn(4) { inDoubt = exchange }
        }
        self.head = nil
        body = []
        if head.closes { leave(run) }
        rest(run, run.plan.thinkNanoseconds)
    }

    private func doubt(_ exchange: ClusterExchange, _ run: ClusterRun) {
        if exchange.isRepeatable, run.world.below(4) > 0 { inDoubt = exchange }
    }

    private func leave(_ run: ClusterRun) {
        run.tell("client \(number) leaves")
        lose(run)
    }

    func lose(_ run: ClusterRun) {
        if let exchange = waiting { doubt(exchange, run) }
        (waiting, socket, node) = (nil, nil, nil)
        rest(run, run.plan.thinkNanoseconds)
    }
}
