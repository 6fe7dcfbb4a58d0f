internal import API
public import POSIX

// How the server ends, and what signals do.
//
//     serving   -- SIGTERM, SIGINT -->  draining   /readyz gives 503, all else is served
//     draining  -- time is over -->     stopping   no new connections, open requests are finished
//     stopping  -- all closed, or --stop-timeout is over -->  stopped
//     draining, stopping  -- the signal again -->  stopped
//     any       -- SIGHUP -->           the same, and reads the settings again, if there are any
//     any       -- the disk fails -->   failed
//
// The caller of `run` closes the store afterwards, which makes everything durable.

/// The signals that the server takes.
public enum Control {
    /// A descriptor that is readable when a signal has arrived. It must be made before any thread
    /// is started: a signal goes to any thread that has not blocked it, and would end the process.
    public static func signals() throws(SystemError) -> FileDescriptor {
        try Signals.descriptor([Signals.terminate, Signals.interrupt, Signals.hangUp])
    }
}

/// Whether the server serves, is about to stop, or has stopped.
struct Lifecycle {
    private enum Phase {
        case serving
        case draining(until: Int64)
        case stopping(until: Int64)
        case stopped
        case failed
    }

    private var phase = Phase.serving
    private let parts: LoopParts

    init(_ parts: LoopParts) { self.parts = parts }

    /// Whether the loop has to end.
    var isOver: Bool {
        switch phase {
        case .serving, .draining, .stopping: false
        case .stopped, .failed: true
        }
    }

    /// Whether it has to end because the disk has failed.
    var hasFailed: Bool {
        switch phase {
        case .serving, .draining, .stopping, .stopped: false
        case .failed: true
        }
    }

    /// When the next phase begins, in milliseconds, or nil if it does not depend on time.
    var deadline: Int64? {
        switch phase {
        case .serving, .stopped, .failed: nil
        case .draining(let until), .stopping(let until): until
        }
    }

    /// Takes SIGTERM, SIGINT, or a SIGHUP for which there is nothing to read: the first begins to
    /// drain, the second stops at once.
    mutating func terminate() {
        switch phase {
        case .serving:
            parts.service.environment.isDraining = true
            let milliseconds = parts.options.drainMilliseconds
            parts.log.say(.notice, "stopping", facts: [("drain", "\(milliseconds)ms")])
            ServiceManager.say("STOPPING=1")
            phase = .draining(until: parts.clock.now + milliseconds)
        case .draining, .stopping, .stopped, .failed:
            parts.log.say(
                .warning, "stopping immediately",
                facts: [("connections", "\(parts.connections.count)")])
            if !hasFailed { phase = .stopped }
        }
    }

    /// Begins to stop when the time for draining is over.
    ///
    /// - Returns: whether it begins now: the caller stops listening and drains the connections.
    mutating func beginsToStop() -> Bool {
        guard case .draining(let until) = phase, parts.clock.now >= until else { return false }
        phase = .stopping(until: parts.clock.now + parts.options.stopMilliseconds)
        return true
    }

    /// Stops when all connections are closed, or the time for that is over.
    mutating func stopIfDone() {
        guard case .stopping(let until) = phase else { return }
        let count = parts.connections.count
        guard count > 0 else { return phase = .stopped }
        guard parts.clock.now >= until else { return }
        parts.log.say(.warning, "closing the remaining connections", facts: [("count", "\(count)")])
        phase = .stopped
    }

    /// The disk has failed.
    mutating func fail() { phase = .failed }
}
