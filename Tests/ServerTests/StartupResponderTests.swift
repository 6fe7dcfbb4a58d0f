import POSIX
import TestSupport
import Testing

import Server

/// The thread that answers while the store is opened.
@Suite struct StartupResponderTests {
    @Test func `the error that ends the thread is told when it is closed`() throws {
        let directory = try TemporaryDirectory(on: .memory)
        // Nobody can wait for a file.
        let file = try FileDescriptor.open("\(directory.path)/file", [.writeOnly, .create])
        let responder = try StartupResponder([], signals: file)
        #expect(responder.close()?.call == "epoll_ctl")
    }

    @Test func `a thread that was closed in time has no error`() throws {
        let signals = try WakeUp()
        let responder = try StartupResponder([], signals: signals.descriptor)
        #expect(responder.close() == nil)
    }
}
