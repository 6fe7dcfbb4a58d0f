// Sets that the loop compares at every event. A literal of a set would be made anew each time.

extension Epoll.Interest {
    package static var nothing: Epoll.Interest { [] }
    package static let readableAndWritable = readable.union(writable)
}
