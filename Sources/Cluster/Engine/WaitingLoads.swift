internal import Navigation
internal import Sessions

/// Requests that wait for something of the store, and what each of them waits for.
struct WaitingLoads {
    /// Something that requests wait for.
    enum Need: Hashable {
        case answer(Question)
        /// The outcome of the session's undecided change.
        case turn(SessionID)
        /// A barrier that the feed must deliver.
        case barrier(StreamBarrier)
        /// A change that the feed must have told of.
        case feed(SequenceNumber)
    }

    private struct Load {
        var result: LoadedItems
        var needs: Set<Need>
        let deadline: Int64
    }

    private var loads: [Int: Load] = [:]
    private var waiting: [Need: Set<Int>] = [:]
    /// The changes that the feeds must have told of.
    private(set) var feeds: Set<SequenceNumber> = []
    private var lastNumber = 0
    /// The numbers of the loads in the order of their deadlines. Some of them do not wait any more.
    private var order: [Int] = []
    private var next = 0
    /// The items that were loaded for requests that do not wait any more.
    private var finished: [LoadedItems] = []

    var hasFinished: Bool { !finished.isEmpty }

    var deadline: Int64 { next < order.count ? loads[order[next]]?.deadline ?? .max : .max }

    /// Adds a request.
    ///
    /// - Parameters:
    ///   - result: what was loaded for it.
    ///   - deadline: when to give it up. It must not be earlier than that of the request before.
    mutating func add(_ result: LoadedItems, needs: Set<Need>, deadline: Int64) {
        guard !needs.isEmpty else { return finished.append(result) }
        lastNumber += 1
        loads[lastNumber] = Load(result: result, needs: needs, deadline: deadline)
        order.append(lastNumber)
        for need in needs {
            waiting[need, default: []].insert(lastNumber)
            if case .feed(let number) = need { feeds.insert(number) }
        }
    }

    /// Whether a request waits for this.
    func isWanted(_ need: Need) -> Bool { waiting[need] != nil }

    /// The items that requests wait for have arrived.
    ///
    /// - Parameter note: notes it in what was loaded for them.
    mutating func meet(_ need: Need, _ note: (inout LoadedItems) -> Void = { _ in }) {
        // In the order in which they came.
        for number in stopWaiting(for: need).sorted() {
            guard var load = loads.removeValue(forKey: number) else { continue }
            note(&load.result)
            load.needs.remove(need)
            if load.needs.isEmpty {
                finished.append(load.result)
            } else {
                loads[number] = load
            }
        }
        dropMet()
    }

    /// Gives up the requests that have waited too long.
    ///
    /// - Returns: what they waited for and nobody waits for any more.
    mutating func expired(at now: Int64) -> [Need] {
        var unwanted: [Need] = []
        while next < order.count, deadline <= now,
            let load = loads.removeValue(forKey: order[next])
        {
            var result = load.result
            for need in load.needs {
                result.giveUp(need)
                waiting[need]?.remove(order[next])
                guard waiting[need]?.isEmpty == true else { continue }
                _ = stopWaiting(for: need)
                unwanted.append(need)
            }
            finished.append(result)
            dropMet()
        }
        return unwanted
    }

    /// - Returns: the loads that have waited for it.
    private mutating func stopWaiting(for need: Need) -> Set<Int> {
        // Usually no request waits. An empty dictionary would still hash the key.
        guard !waiting.isEmpty else { return [] }
        if case .feed(let number) = need { feeds.remove(number) }
        return waiting.removeValue(forKey: need) ?? []
    }

    private mutating func dropMet() {
        while next < order.count, loads[order[next]] == nil { next += 1 }
        guard next > 64, next * 2 > order.count else { return }
        order.removeFirst(next)
        next = 0
    }

    /// The items loaded since the last call.
    mutating func takeFinished() -> [LoadedItems] {
        defer { finished = [] }
        return finished
    }
}

extension LoadedItems {
    /// Notes that the request has waited for something in vain.
    fileprivate mutating func giveUp(_ need: WaitingLoads.Need) {
        switch need {
        case .answer(let question): take(.unanswered, to: question)
        case .barrier(let barrier): barriers[barrier.feed] = false
        case .feed(let number): awaited[number] = false
        case .turn: break
        }
    }
}
