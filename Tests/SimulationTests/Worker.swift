import POSIX

/// A client in the simulation: asked to do something when its time has come, or when its socket
/// has something to read.
protocol Client: AnyObject {
    /// When it wants to do something, in monotonic nanoseconds.
    var wakesAt: Int64 { get }
    var socket: FileDescriptor? { get }
    func act(_ run: Run)
    func read(_ run: Run)
    /// The process has ended: the connection is gone.
    func lose(_ run: Run)
}

/// A client that sends requests, one after another or some at once, whole or in pieces, and checks
/// the answers; at times it goes away in the middle.
final class Worker: Client {
    private let number: Int
    private(set) var wakesAt: Int64 = 0
    private(set) var socket: FileDescriptor?
    private var reader = ResponseReader()
    private var body: [UInt8] = []
    private var head: ResponseReader.Head?
    /// Sent, or about to be, and not answered.
    private var waiting: [Exchange] = []
    /// Without a known outcome; to be sent again with their keys.
    private var inDoubt: [Exchange] = []
    /// Bytes that are not sent yet.
    private var unsent: ArraySlice<UInt8> = []

    /// A client gives up after this long.
    private static let patience: Int64 = 90_000_000_000

    init(_ number: Int) { self.number = number }

    /// There may be something to do.
    func wake() { wakesAt = 0 }

    var isIdle: Bool { waiting.isEmpty && inDoubt.isEmpty }

    func act(_ run: Run) {
        if !unsent.isEmpty {
            send(run)
        } else if waiting.isEmpty {
            begin(run)
        } else if run.now - (waiting.first?.sentAt ?? 0) > Self.patience {
            run.oracle.complain("\(waiting[0].name): no answer after 90 seconds")
            leave(run)
        } else if run.plan.vanishes, run.world.oneIn(8) {
            leave(run)
        } else {
            rest(run, run.plan.vanishes ? 50_000_000 : Self.patience)
        }
    }

    private func rest(_ run: Run, _ most: Int64) {
        wakesAt = run.now + 1 + Int64(run.world.below(Int(most)))
    }

    // MARK: - Asking

    private func begin(_ run: Run) {
        var next: [Exchange] = []
        if inDoubt.isEmpty {
            next = run.nextExchanges(for: number)
        } else {
            next = [inDoubt.removeFirst()]
            next[0].isRepeated = true
        }
        guard !next.isEmpty else { return wakesAt = .max }
        guard connect(run) else {
            for exchange in next where exchange.isRepeated { inDoubt.append(exchange) }
            return rest(run, 20_000_000)
        }
        for index in next.indices {
            run.oracle.begin(&next[index], now: run.now)
            unsent += next[index].request
            run.tell("client \(number) → \(next[index].name)")
        }
        waiting = next
        send(run)
    }

    private func connect(_ run: Run) -> Bool {
        if socket != nil { return true }
        guard let new = run.connect(self) else { return false }
        reader = ResponseReader()
        (body, head) = ([], nil)
        socket = new
        return true
    }

    private func send(_ run: Run) {
        guard let socket else { return }
        var count = unsent.count
        if count > 1, run.plan.tearsRequests, run.world.oneIn(3) {
            count = 1 + run.world.below(count - 1)
        }
        do {
            let sent = try socket.send(Array(unsent), 0..<count) ?? 0
            unsent = unsent.dropFirst(sent)
        } catch {
            return leave(run)
        }
        rest(run, unsent.isEmpty ? Self.patience : 3_000_000)
    }

    // MARK: - Being answered

    func read(_ run: Run) {
        guard let socket else { return }
        do {
            guard let count = try socket.receive(into: &run.buffer, 0..<run.buffer.count) else {
                return
            }
            guard count > 0 else { return ended(run) }
            reader.append(run.buffer[..<count])
        } catch {
            return ended(run)
        }
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

    private func answered(_ run: Run) {
        guard let head, !waiting.isEmpty else {
            return run.oracle.complain("client \(number): an answer that nobody asked for")
        }
        let exchange = waiting.removeFirst()
        run.tell("client \(number) ← \(head.status) \(head.tag ?? "") to \(exchange.name)")
        if !run.oracle.answered(exchange, head, body, run.circumstances) { doubt(exchange, run) }
        self.head = nil
        body = []
        if head.closes { leave(run) }
        if waiting.isEmpty { rest(run, run.plan.thinkNanoseconds) }
    }

    private func doubt(_ exchange: Exchange, _ run: Run) {
        if exchange.isRepeatable, run.world.below(4) > 0 { inDoubt.append(exchange) }
    }

    /// The other side has closed the connection, as it may between two answers.
    private func ended(_ run: Run) {
        // A backup breaks off when the disk is full.
        var isBackup = false
        if case .backup? = waiting.first?.kind { isBackup = true }
        if reader.isInAnswer, !isBackup, !run.circumstances.mayRefuse {
            run.oracle.complain("client \(number): the connection ended within an answer")
        }
        leave(run)
    }

    private func leave(_ run: Run) {
        run.tell("client \(number) leaves")
        lose(run)
        rest(run, run.plan.thinkNanoseconds)
    }

    func lose(_ run: Run) {
        for exchange in waiting { doubt(exchange, run) }
        waiting = []
        unsent = []
        socket = nil
        wakesAt = 0
    }
}
