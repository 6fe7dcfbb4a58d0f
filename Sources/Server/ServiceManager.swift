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
    ///
    /// - Throws: if one of the descriptors is not a listening socket.
    public static func inheritedSockets() throws(SystemError) -> [FileDescriptor] {
        guard Process.environment("LISTEN_PID") == "\(Process.identifier)",
            let count = Process.environment("LISTEN_FDS").flatMap({ Int($0) }),
            (1...64).contains(count)
        else { return [] }
        var sockets: [FileDescriptor] = []
        for number in 3..<3 + Int32(count) {
            do {
                sockets.append(try Socket.inherited(number))
            } catch {
                throw SystemError(error.call, number: error.number, path: "descriptor \(number)")
            }
        }
        return sockets
    }
}
