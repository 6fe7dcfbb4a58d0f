internal import API
internal import HTTP
internal import Navigation
internal import POSIX
internal import Sessions
internal import Storage

// Answers on their way out.

extension EventLoop {
    /// Writes what was encoded into the shared buffer; what the socket does not take is kept.
    func flushShared(_ connection: Connection) {
        guard !output.isEmpty, connections.holds(connection) else { return clearShared() }
        do {
            let some = min(output.count, Self.writeBytesMax)
            let isFirst = connection.outbox.isEmpty
            let sent = isFirst ? try connection.descriptor.send(output, 0..<some) ?? 0 : 0
            work.spend(.output(bytes: sent))
            let isTaken = sent == output.count
            if isTaken, outputBody.isEmpty {
                clearShared()
                return finished(connection)
            }
            keepShared(from: sent, for: connection)
            connection.state.owes(at: now)
            if isTaken { flush(connection) }
            settle(connection)
        } catch {
            clearShared()
            perform(connection.state.peerGone(), on: connection)
        }
    }

    private func keepShared(from start: Int, for connection: Connection) {
        if output.count - start > Self.inputBytes {
            // As it is: a long answer is not copied once more.
            connection.outbox.append(output, from: start, &budget.shared)
            output = []
        } else {
            connection.outbox.append(Array(output[start...]), &budget.shared)
        }
        connection.outbox.append(outputBody, &budget.shared)
        clearShared()
    }

    private func clearShared() {
        output.removeAll(keepingCapacity: output.capacity <= Self.outputBytesKept)
        outputBody = []
    }

    /// A larger buffer than this is given back after the answer that needed it.
    private static let outputBytesKept = 1 << 20

    /// Writes what the connection owes, up to `writeBytesMax`.
    func flush(_ connection: Connection) {
        var left = Self.writeBytesMax
        do {
            while left > 0, let (bytes, range) = connection.outbox.next(atMost: left) {
                let count = try connection.descriptor.send(bytes, range) ?? 0
                connection.outbox.advance(by: count, &budget.shared)
                work.spend(.output(bytes: count))
                left -= count
                guard count == range.count else { break }
            }
        } catch {
            return perform(connection.state.peerGone(), on: connection)
        }
        guard left < Self.writeBytesMax else { return }
        if connection.outbox.isEmpty {
            finished(connection)
        } else {
            connection.state.wroteSome(at: now)
        }
    }

    /// Writes bytes that come after all that is owed, as far as the socket takes them now.
    ///
    /// - Returns: whether nothing is owed. False also if the connection is gone.
    func write(_ bytes: [UInt8], to connection: Connection) -> Bool {
        guard connection.outbox.isEmpty else {
            connection.outbox.append(bytes, &budget.shared)
            return false
        }
        do {
            let some = min(bytes.count, Self.writeBytesMax)
            let count = try connection.descriptor.send(bytes, 0..<some) ?? 0
            work.spend(.output(bytes: count))
            connection.outbox.append(bytes, from: count, &budget.shared)
            return count == bytes.count
        } catch {
            perform(connection.state.peerGone(), on: connection)
            return false
        }
    }

    /// Adds bytes to what the client is to get next.
    func owe(_ bytes: [UInt8], to connection: Connection) {
        if connection.held != nil {
            connection.held?.bytes += bytes
        } else {
            connection.outbox.append(bytes, &budget.shared)
        }
    }

    /// Everything is written: go on with the next request, or end.
    func finished(_ connection: Connection) {
        switch connection.state.phase {
        case .answering, .writing:
            perform(connection.state.wroteAll(at: now), on: connection)
        case .streaming:
            perform(connection.state.wroteAll(at: now), on: connection)
            continueBackup(connection)
        case .idle, .head, .body, .lingering, .closed: break
        }
    }

    // MARK: - Answers that are held

    /// Has those answers sent that show what has become durable.
    ///
    /// - Parameter failure: what to say to all others, whose changes are undone or in doubt.
    func release(refusingTheRest failure: StoreError? = nil) {
        guard !waiting.isEmpty else { return }
        let durable = store.durable
        let tokens = waiting
        waiting = []
        for token in tokens {
            guard let connection = connections[token], let held = connection.held else { continue }
            if held.visibleAfter > durable {
                guard let failure else {
                    waiting.append(token)
                    continue
                }
                connection.held?.failure = failure
            }
            queues.released.append(token)
        }
    }

    /// Sends one answer that was held.
    ///
    /// - Returns: false if there is none.
    func showNext() -> Bool {
        guard let token = queues.released.popFirst() else { return false }
        guard let connection = connections[token], let held = connection.held else { return true }
        if let failure = held.failure {
            replace(connection, held, failure)
        } else {
            show(connection, held)
        }
        return true
    }

    func show(_ connection: Connection, _ held: HeldAnswer) {
        connection.held = nil
        if connection.isStreaming {
            connection.state.streamed(at: now)
        } else {
            if let facts = held.facts { finish(facts, id: held.id, begun: connection.begun) }
            connection.state.answered(
                closes: !held.persists || connection.state.closesAfterAnswer, at: now)
        }
        if write(held.bytes, to: connection) { finished(connection) }
        settle(connection)
    }

    /// What was decided did not become durable: the client is told so instead. A read that saw it
    /// is answered again, with what is there now.
    private func replace(_ connection: Connection, _ held: HeldAnswer, _ failure: StoreError) {
        connection.isStreaming = false
        connection.wakesAt = .max
        subscribers.remove(connection.token)
        endBackup(connection)
        if failure == .full, let request = held.read {
            connection.held = nil
            return proceed(connection, goesOn: respond(connection, request))
        }
        let path = held.read.map { Array($0.bytes[$0.path]) } ?? held.path
        let problem =
            Problem(failure)
            ?? Problem(.storeUnavailable, "It is unknown whether the change was stored.")
        var shown = held
        shown.bytes = []
        shown.persists = ResponseEncoder.encode(
            problem.response(instance: String(decoding: path, as: UTF8.self)),
            to: held.exchange, date: date, into: &shown.bytes)
        shown.facts?.status = problem.kind.status
        metrics.count(problem.kind)
        show(connection, shown)
    }

    // MARK: - Requests that waited for the disk

    /// Answers one request for which records were read.
    ///
    /// - Returns: false if there is none.
    func answerLoaded() -> Bool {
        guard let loaded = queues.loaded.popFirst() else { return false }
        guard let connection = connections[loaded.ticket], let request = connection.parked else {
            return true
        }
        connection.parked = nil
        let goesOn = store.with(loaded) { respond(connection, request, loaded) }
        proceed(connection, goesOn: goesOn)
        return true
    }

    /// After the answer to a request that was parked.
    func proceed(_ connection: Connection, goesOn: Bool) {
        flushShared(connection)
        // What the socket did not take comes before the next request.
        if goesOn, connection.state.phase == .idle { consumeRest(connection) }
        settle(connection)
    }
}
