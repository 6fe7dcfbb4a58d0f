// Sets that the loop compares at every event. A literal of a set would be made each time.

extension Epoll.Interest {
    package static var nothing: Epoll.Interest { [] }
    /// Bytes, and the end of the other side's writing.
    package static let input = readable.union(readHangUp)
    package static let inputAndWritable = input.union(writable)
    package static let readHangUpAndWritable = readHangUp.union(writable)
}
