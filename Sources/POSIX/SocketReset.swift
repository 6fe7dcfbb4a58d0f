internal import CLinux
internal import Glibc

extension Socket {
    /// SO_LINGER with no time: closing throws away what the peer has not taken and resets the
    /// connection, so that the kernel keeps nothing for a peer that takes nothing.
    package static func resetWhenClosed(_ socket: FileDescriptor) {
        var value = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        // A socket that is gone already needs no reset.
        _ = unsafe setsockopt(socket.number, SOL_SOCKET, SO_LINGER, &value, size)
    }
}
