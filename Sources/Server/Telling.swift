internal import API

/// A change that is to be told.
struct PendingAnnouncement {
    var announcement: Announcement
    /// The number of clients that had to be told of it when it was announced.
    var audience: Int
}

/// A change that is being told, and the clients that have not been told yet.
struct Telling {
    let announcement: Announcement
    var waiters: [Subscribers.Waiter]
    var listeners: [Subscriber]
    var frames: StreamFrames

    var left: Int { waiters.count + listeners.count }
}
