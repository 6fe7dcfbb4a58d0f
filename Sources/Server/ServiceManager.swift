internal import Bytes
public import POSIX

/// The service manager that started the process: sd_notify(3), without its library.
public enum ServiceManager {
    /// Sends a message to systemd, if it has asked for messages.
    public static func say(_ text: String) {
        guard let path = Process.environment("NOTIFY_SOCKET"), !path.isEmpty else { return }
        // Nothing depends on it: the service manager may have gone.
        try? Socket.sendDatagram(Array(text.utf8), to: path)
    }

    /// The sockets that systemd has opened for us: sd_listen_fds(3).
    public static func inheritedSockets() -> [FileDescriptor] {
        guard Process.environment("LISTEN_PID") == "\(Process.identifier)",
            let count = Process.environment("LISTEN_FDS").flatMap({ Int($0) }),
            (1...64).contains(count)
        else { return [] }
        return (0..<Int32(count)).compactMap { try? Socket.inherited(3 + $0) }
    }
}
