internal import API
internal import HTTP
package import POSIX

// How the server ends, and what signals do.
//
//     serving   -- SIGTERM, SIGINT -->  draining   /readyz says 503; all else goes on, for --drain
//     draining  -- time is over -->     stopping   no new connections, open requests are finished
//     stopping  -- all closed, or --stop-timeout is over -->  stopped
//     draining, stopping  -- the signal again -->  stopped
//     any       -- SIGHUP -->           the same, and reads the settings again
//
// Whoever calls `run` closes the store behind it, which makes everything durable.

enum Life: Equatable {
    case serving
    case draining(until: Int64)
    case stopping(until: Int64)
    case stopped
}

/// The signals that the server takes.
package enum Control {
    /// To be called before any thread is started: a signal goes to any thread that has not
    /// blocked it, and would end the process there.
    package static func signals() throws(SystemError) -> FileDescriptor {
        try Signals.descriptor([Signals.terminate, Signals.interrupt, Signals.hangUp])
    }
}

extension EventLoop {
    func signalled(_ number: Int32) throws(SystemError) {
        if number == Signals.hangUp { return reload() }
        switch life {
        case .serving:
            service.environment.isDraining = true
            log.say(.notice, "stopping", [("drain", "\(options.drainMilliseconds)ms")])
            ServiceManager.say("STOPPING=1")
            life = .draining(until: now + options.drainMilliseconds)
        case .draining, .stopping, .stopped:
            log.say(.warning, "stopping immediately", [("connections", "\(connections.count)")])
            life = .stopped
        }
    }

    /// When life goes on by itself; nil if it does not.
    var lifeDeadline: Int64? {
        switch life {
        case .serving, .stopped: nil
        case .draining(let until), .stopping(let until): until
        }
    }

    /// Goes from one state to the next when its time has come.
    func keepLife() throws(SystemError) {
        if case .draining(let until) = life, now >= until { try beginToStop() }
        guard case .stopping(let until) = life else { return }
        if connections.count == 0 {
            life = .stopped
        } else if now >= until {
            log.say(
                .warning, "closing the remaining connections", [("count", "\(connections.count)")])
            life = .stopped
        }
    }

    private func beginToStop() throws(SystemError) {
        try stopListening()
        life = .stopping(until: now + options.stopMilliseconds)
        endStreams()
        for connection in connections.all { perform(connection.state.drain(), on: connection) }
    }

    /// Open live streams.
    var subscriberCount: Int { subscribers.byToken.count }
}

/// The service manager that started the process: sd_notify(3), spoken directly.
package enum ServiceManager {
    /// Says something to systemd, if it asked for it.
    package static func say(_ text: String) {
        guard let path = Process.environment("NOTIFY_SOCKET"), !path.isEmpty else { return }
        // Nothing depends on it: a manager that does not listen is none.
        try? Socket.sendDatagram(Array(text.utf8), to: path)
    }

    /// The sockets that systemd has opened for us: sd_listen_fds(3).
    package static func inheritedSockets() -> [FileDescriptor] {
        guard Process.environment("LISTEN_PID") == "\(Process.identifier)",
            let count = Process.environment("LISTEN_FDS").flatMap({ Int($0) }),
            (1...64).contains(count)
        else { return [] }
        return (0..<Int32(count)).compactMap { try? Socket.inherited(3 + $0) }
    }
}
