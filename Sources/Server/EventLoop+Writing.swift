internal import API
internal import HTTP
internal import Navigation
internal import POSIX
internal import Storage

// Answers on their way out.

extension EventLoop {
    /// Writes what was encoded into the shared buffer; what the socket does not take is kept.
    func flushShared(_ connection: Connection) {
        defer { output.removeAll(keepingCapacity: output.capacity <= Self.outputBytesKept) }
        guard !output.isEmpty, connections.holds(connection) else { return }
        guard connection.output.isEmpty else {
            connection.output += output
            return
        }
        do {
            let some = min(output.count, Self.writeBytesMax)
            let count = try connection.descriptor.send(output, 0..<some) ?? 0
            if count == output.count {
                return connection.body.isEmpty ? finished(connection) : writeBody(connection)
            }
            if output.count - count > Self.inputBytes {
                // As it is: a long answer is not copied once more.
                swap(&connection.output, &output)
                connection.written = count
            } else {
                connection.output = Array(output[count...])
            }
            connection.state.owes(at: now)
            settle(connection)
        } catch {
            perform(connection.state.peerGone(), on: connection)
        }
    }

    /// A larger buffer than this is given back after the answer that needed it.
    private static let outputBytesKept = 1 << 20

    /// Writes what the connection owes.
    func flush(_ connection: Connection) {
        let end = connection.output.count
        guard connection.written < end else { return }
        do {
            let range = connection.written..<min(end, connection.written + Self.writeBytesMax)
            guard let count = try connection.descriptor.send(connection.output, range) else {
                return
            }
            connection.written += count
        } catch {
            return perform(connection.state.peerGone(), on: connection)
        }
        guard connection.written == end else {
            _ = connection.state.wrote(all: false, at: now)
            return
        }
        guard connection.body.isEmpty else { return writeBody(connection) }
        connection.output = []
        connection.written = 0
        finished(connection)
    }

    /// The head is written: on with the body.
    private func writeBody(_ connection: Connection) {
        connection.output = connection.body
        connection.body = []
        connection.written = 0
        connection.state.owes(at: now)
        flush(connection)
        settle(connection)
    }

    /// Everything is written: go on with the next request, or end.
    func finished(_ connection: Connection) {
        switch connection.state.phase {
        case .answering, .writing:
            perform(connection.state.wrote(all: true, at: now), on: connection)
        case .streaming:
            perform(connection.state.wrote(all: true, at: now), on: connection)
            continueBackup(connection)
        case .idle, .head, .body, .lingering, .closed: break
        }
    }

    // MARK: - Answers that are held

    /// Shows what has become durable.
    ///
    /// - Parameter failure: what to say to all others, whose changes are undone or in doubt.
    func release(refusingTheRest failure: StoreError? = nil) {
        guard !waiting.isEmpty else { return }
        let durable = store.durable
        let tokens = waiting
        waiting = []
        var still: [UInt64] = []
        for token in tokens {
            guard let connection = connections[token], let held = connection.held else { continue }
            if held.visibleAfter <= durable {
                show(connection, held)
            } else if let failure {
                replace(connection, held, failure)
            } else {
                still.append(token)
            }
        }
        waiting += still
    }

    func show(_ connection: Connection, _ held: HeldAnswer) {
        connection.held = nil
        if connection.isStreaming {
            _ = connection.state.streamed(at: now)
        } else {
            if let facts = held.facts { finish(facts, id: held.id, begun: connection.begun) }
            _ = connection.state.answered(
                closes: !held.persists || connection.state.closesAfterAnswer, at: now)
        }
        connection.append(held.bytes)
        flush(connection)
        settle(connection)
    }

    /// What was decided did not become durable: the client is told so instead.
    private func replace(_ connection: Connection, _ held: HeldAnswer, _ failure: StoreError) {
        connection.isStreaming = false
        connection.wakesAt = .max
        subscribers.remove(connection.token)
        endBackup(connection)
        let problem =
            Problem(failure)
            ?? Problem(.storeUnavailable, "It is unknown whether the change was stored.")
        var shown = held
        shown.bytes = []
        shown.persists = ResponseEncoder.encode(
            problem.response(instance: String(decoding: held.path, as: UTF8.self)),
            to: held.exchange, date: date, into: &shown.bytes)
        shown.facts?.status = problem.kind.status
        metrics.count(problem.kind)
        show(connection, shown)
    }

    // MARK: - Requests that waited for the disk

    func takeLoaded() {
        for loaded in store.takeLoaded() {
            guard let connection = connections[loaded.ticket], let request = connection.parked
            else { continue }
            connection.parked = nil
            let goesOn = store.with(loaded) { respond(connection, request, loaded) }
            proceed(connection, goesOn: goesOn)
        }
    }

    /// After the answer to a request that was parked.
    func proceed(_ connection: Connection, goesOn: Bool) {
        flushShared(connection)
        // What the socket did not take comes before the next request.
        if goesOn, connection.state.phase == .idle, !connection.input.isEmpty {
            consumeOwn(connection)
        }
        settle(connection)
    }
}
