import Glibc
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

    @Test(arguments: [Signals.hangUp, nil])
    func `SIGHUP is remembered, for the settings were read before`(signal: Int32?) throws {
        // A descriptor of signals returns signalfd_siginfo, which begins with the number.
        let (signals, sender) = try Socket.pair()
        if let signal {
            var record = [UInt8](repeating: 0, count: 128)
            record[0] = UInt8(signal)
            #expect(try sender.send(record, 0..<record.count) == record.count)
        }
        let responder = try StartupResponder([], signals: signals)
        for _ in 0..<waitMilliseconds where signal != nil && !responder.wantsReload {
            usleep(1000)
        }
        #expect(responder.close() == nil)
        #expect(responder.wantsReload == (signal != nil))
    }

    @Test func `a thread that was closed in time has no error`() throws {
        let signals = try WakeUp()
        let responder = try StartupResponder([], signals: signals.descriptor)
        #expect(responder.close() == nil)
    }
}
