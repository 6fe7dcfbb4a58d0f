import Glibc
import POSIX
import TestSupport
import Testing

@Suite struct EpollTests {
    private func ready(_ epoll: Epoll) throws -> [UInt64: Epoll.Interest] {
        var events: [Epoll.Event] = []
        try epoll.wait(into: &events, timeoutMilliseconds: 0)
        return Dictionary(uniqueKeysWithValues: events.map { ($0.token, $0.happened) })
    }

    @Test func `readable descriptors are reported until they have been read`() throws {
        let (epoll, pipe) = (try Epoll(), try Pipe())
        try epoll.add(pipe.reader, .readable, token: .max)
        #expect(try ready(epoll).isEmpty)
        try pipe.writer.writeAll([1, 2])
        for _ in 0..<3 { #expect(try ready(epoll) == [.max: .readable]) }
        _ = try pipe.reader.readNow(1)
        #expect(try ready(epoll) == [.max: .readable])
        _ = try pipe.reader.readNow(1)
        #expect(try ready(epoll).isEmpty)
    }

    @Test func `the events that are waited for can be changed and removed`() throws {
        let (epoll, pair) = (try Epoll(), try SocketPair())
        try epoll.add(pair.near, .nothing, token: 1)
        #expect(try ready(epoll).isEmpty)
        try epoll.change(pair.near, [.input, .writable], token: 2)
        #expect(try ready(epoll) == [2: .writable])
        _ = try pair.far.send([1], 0..<1)
        #expect(try ready(epoll) == [2: .readable.union(.writable)])
        try epoll.change(pair.near, .readable, token: 3)
        #expect(try ready(epoll) == [3: .readable])
        try epoll.remove(pair.near)
        #expect(try ready(epoll).isEmpty)
        try epoll.add(pair.near, .readable, token: 4)
        #expect(try ready(epoll) == [4: .readable])
    }

    @Test func `a hang-up is reported, that of one direction only if it was asked for`() throws {
        for (interest, half) in [
            (.nothing, .nothing), (.readHangUp, .readHangUp),
            (.readable, .readable),
        ] as [(Epoll.Interest, Epoll.Interest)] {
            let epoll = try Epoll()
            var far: FileDescriptor?
            let near: FileDescriptor
            do {
                let pair = try SocketPair()
                (near, far) = (pair.near, pair.far)
            }
            try epoll.add(near, interest, token: 1)
            if let far { try Socket.shutdownWriting(far) }
            #expect(try ready(epoll) == (half.isEmpty ? [:] : [1: half]))
            far = nil
            #expect(try ready(epoll)[1]?.contains(.hangUp) == true)
        }
    }

    @Test func `a pipe without a reader has failed`() throws {
        let epoll = try Epoll()
        let writer = try Pipe().writer
        try epoll.add(writer, .nothing, token: 1)
        #expect(try ready(epoll) == [1: .failed])
    }

    @Test func `a wait returns at most the maximum of events, and the next one the others`() throws
    {
        let epoll = try Epoll(eventsMax: 2)
        var pipes: [Pipe] = []
        for token in UInt64(0)..<5 {
            let pipe = try Pipe()
            try pipe.writer.writeAll([1])
            try epoll.add(pipe.reader, .readable, token: token)
            pipes.append(pipe)
        }
        var seen: Set<UInt64> = []
        while !pipes.isEmpty {
            let found = try ready(epoll)
            #expect((1...2).contains(found.count))
            guard !found.isEmpty else { return }
            for token in found.keys {
                #expect(seen.insert(token).inserted)
                _ = try pipes[Int(token)].reader.readNow()
            }
            if seen.count == 5 { break }
        }
        #expect(try ready(epoll).isEmpty)
    }

    @Test func `a closed descriptor is no longer watched`() throws {
        let epoll = try Epoll()
        do {
            let pipe = try Pipe()
            try pipe.writer.writeAll([1])
            try epoll.add(pipe.reader, .readable, token: 1)
            #expect(try ready(epoll).count == 1)
        }
        #expect(try ready(epoll).isEmpty)
    }

    @Test(arguments: [nil, Int.max, 60_000])
    func `a wait ends when something happens`(timeout: Int?) throws {
        let wakeUp = try WakeUp()
        let blocked = try BlockedCall { () throws(SystemError) -> Int in
            let epoll = try Epoll()
            try epoll.add(wakeUp.descriptor, .readable, token: 1)
            var events: [Epoll.Event] = []
            try epoll.wait(into: &events, timeoutMilliseconds: timeout)
            return events.count
        }
        blocked.waitUntilAsleep()
        wakeUp.signal()
        #expect(try blocked.finish() == 1)
    }

    @Test func `a wait without time to wait, or with less, ends at once`() throws {
        let (epoll, pipe) = (try Epoll(), try Pipe())
        try epoll.add(pipe.reader, .readable, token: 1)
        var events: [Epoll.Event] = []
        for timeout in [0, -1, Int.min, 1] {
            try pipe.writer.writeAll([1])
            try epoll.wait(into: &events, timeoutMilliseconds: nil)
            #expect(events.count == 1)
            _ = try pipe.reader.readNow()
            try epoll.wait(into: &events, timeoutMilliseconds: timeout)
            #expect(events.isEmpty, "what was there before is gone")
        }
    }
}
