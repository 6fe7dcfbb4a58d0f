@testable import Cluster
import TestSupport
import Testing

/// The messages that are known before the feed delivers them.
@Suite struct UnreadMessagesTests {
    private func expect(
        _ number: Int, by writer: WriteID?, isOther: Bool, in unread: inout UnreadMessages
    ) {
        let isFound = unread.deliver(number, by: writer)
        #expect(isFound == isOther, "message \(number)")
    }

    private func writer(_ number: Int) -> WriteID { WriteID(node: 1, number: UInt64(number)) }

    @Test func `a message is another one if its write is`() {
        var unread = UnreadMessages()
        for number in [5, 9, 7] { unread.add(number, by: writer(number)) }
        #expect(unread.last == 9)
        expect(4, by: nil, isOther: false, in: &unread)
        expect(5, by: writer(5), isOther: false, in: &unread)
        expect(6, by: writer(60), isOther: false, in: &unread)
        expect(7, by: writer(70), isOther: true, in: &unread)
        expect(9, by: nil, isOther: true, in: &unread)
        #expect(unread.last == 0)
    }

    @Test func `what the feed has passed is not known any more`() {
        var unread = UnreadMessages()
        _ = unread.deliver(8, by: nil)
        unread.add(8, by: writer(8))
        unread.add(10, by: writer(10))
        #expect(unread.last == 10)
        // Newer messages of the session have displaced it.
        expect(11, by: writer(1), isOther: false, in: &unread)
        #expect(unread.last == 0)
        // The stream is read again from the beginning.
        expect(2, by: writer(1), isOther: false, in: &unread)
        unread.add(9, by: writer(9))
        #expect(unread.last == 0)
    }

    /// A stream that went back has others in the place of all that it had, so some are enough.
    @Test func `of very many messages the last one and enough of the others are known`() {
        var unread = UnreadMessages()
        let numbers = 1...50_000
        for number in numbers { unread.add(number, by: writer(number)) }
        #expect(unread.last == 50_000)
        var known = 0
        for number in numbers where unread.deliver(number, by: nil) { known += 1 }
        #expect((2_048...4_096).contains(known))
    }
}
