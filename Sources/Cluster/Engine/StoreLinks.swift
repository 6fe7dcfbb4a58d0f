internal import NATS
internal import POSIX

/// The two links of a node: one for requests, so that changes do not wait behind the feeds, and one
/// for the feeds. Both are in one epoll instance.
final class StoreLinks {
    /// Events of the links, in their order.
    enum Event {
        case request(RequestEvent<Purpose>)
        case feed(Feeds.Event)
    }

    let requests: RequestLink<Purpose>
    /// The feeds, once the streams are known.
    private(set) var feeds: Feeds?
    private let feedLink: RequestLink<Feeds.Purpose>
    private let client: SubjectToken
    private let random: () -> UInt64
    private let epoll: Epoll
    private let wakeUp: WakeUp
    private var ready: [Epoll.Event] = []

    private enum Token: UInt64 { case requests, feeds, wakeUp }

    private static let requestsMax = 16_384

    /// - Parameter node: the number of the node, which names it towards the servers.
    init(
        _ address: StoreAddress, node: UInt64, random: @escaping () -> UInt64, at now: Int64
    ) throws(SystemError) {
        let client = SubjectToken(trusted: "navstate" + String(node, radix: 16))
        let epoll = try Epoll()
        let options = ConnectOptions(
            credentials: address.credentials, name: client.text, version: "1")
        func link<Purpose>(
            _ token: Token, named name: SubjectToken, for purpose: LinkPurpose
        ) -> RequestLink<Purpose> {
            let servers = ServerList(address.servers, random: random())
            return RequestLink(
                LinkState(servers, options, for: purpose, at: now),
                over: Route(epoll: epoll, token: token.rawValue), name: name,
                countMax: Self.requestsMax, random: random)
        }
        requests = link(
            .requests, named: SubjectToken(trusted: client.text + "r"), for: .requests)
        feedLink = link(.feeds, named: client, for: .feeds)
        wakeUp = try WakeUp()
        try epoll.add(wakeUp.descriptor, .readable, token: Token.wakeUp.rawValue)
        (self.random, self.client, self.epoll) = (random, client, epoll)
    }

    /// Begins to read streams.
    func follow(_ streams: [StreamFeed]) {
        feeds = Feeds(feedLink, client: client, streams: streams, random: random)
    }

    var descriptor: FileDescriptor { epoll.descriptor }

    var deadline: Int64 { min(requests.deadline, feeds?.deadline ?? .max) }

    /// Makes `descriptor` readable until `happened` is called.
    func wake() { wakeUp.signal() }

    /// Reads what came.
    ///
    /// - Parameter milliseconds: how long to wait for it.
    func happened(at now: Int64, waiting milliseconds: Int = 0) throws(SystemError) -> [Event] {
        try epoll.wait(into: &ready, timeoutMilliseconds: milliseconds)
        var events: [Event] = []
        for event in ready {
            switch Token(rawValue: event.token) {
            case .requests: events += requests.happened(at: now).map { .request($0) }
            case .feeds: events += (feeds?.happened(at: now) ?? []).map { .feed($0) }
            case .wakeUp, nil: wakeUp.clear()
            }
        }
        return events
    }

    /// Sends what waits, acts on what is due, and waits for what comes, without the event loop.
    func turn(
        _ environment: EngineEnvironment, waiting milliseconds: Int
    ) throws(StoreOpenError) -> [Event] {
        let clock = environment.clock
        let events = flush(at: clock.now) + expired(at: clock.now)
        let pause = environment.waiting(milliseconds)
        do throws(SystemError) {
            return events + (try happened(at: clock.now, waiting: pause))
        } catch {
            throw .system(error)
        }
    }

    /// Sends what waits.
    func flush(at now: Int64) -> [Event] {
        requests.flush(at: now).map { .request($0) }
            + (feeds?.flush(at: now) ?? []).map { .feed($0) }
    }

    /// Moves the link for requests to another server.
    func leave(at now: Int64) -> [Event] {
        requests.isReady ? requests.leave(at: now).map { .request($0) } : []
    }

    /// Acts on what is due.
    func expired(at now: Int64) -> [Event] {
        requests.expired(at: now).map { .request($0) }
            + (feeds?.expired(at: now) ?? []).map { .feed($0) }
    }
}
