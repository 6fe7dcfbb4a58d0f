package import Navigation
internal import POSIX
package import Sessions
internal import Synchronization

/// What `collect` found.
package struct Collected: Equatable, Sendable {
    /// `durable` has grown.
    package var hasAdvanced = false
    /// Every change above `durable` was taken back, since the disk is full.
    package var isRolledBack = false
    /// Changes are refused for good.
    package var hasFailed = false
}

extension Store {
    /// Takes in what the threads have done; called when `wakeDescriptor` became readable, and
    /// harmless at any time.
    @discardableResult
    package func collect() -> Collected {
        wakeUp.clear()
        var collected = Collected()
        let (condition, roomError, tries) = journal.state.withLock {
            ($0.condition, $0.roomError, $0.roomTries)
        }
        let released = journal.released.load(ordering: .acquiring)
        collected.hasAdvanced = released > durable
        durable = max(durable, released)
        letGo()
        self.roomError = roomError
        if failure == .full, !hasNoRoom, tries > roomTries { (failure, failureText) = (nil, nil) }
        roomTries = tries
        switch condition {
        case .working: break
        case .rolledBack(let rollback):
            rollBack(rollback)
            collected.isRolledBack = true
        case .failed(let error):
            collected.hasFailed = failure != .unavailable
            failure = .unavailable
            failureText = error.description
        }
        compact()
        return collected
    }

    /// What is durable need not be taken back.
    private func letGo() {
        while let item = rollbackLog.popFirst(upTo: durable) {
            switch item.kind {
            case .changed, .removed:
                contents.appNames.release(item.prior.app)
                contents.labelSets.release(item.prior.labels)
            case .created, .app, .tokens: break
            }
        }
    }

    /// Takes back all changes above what the journal went back to.
    private func rollBack(_ rollback: Rollback) {
        rollbacks += 1
        while let item = rollbackLog.popLast() { takeBack(item) }
        pending.removeAll()
        catalogue.removeLast(where: { $0.number >= rollback.next })
        last = rollback.sequence
        departed.removeAll { $0.sequence > rollback.sequence }
        if let segment = rollback.segment {
            active = segment
            activeEnd = rollback.end
            reviveActive()
        } else {
            begin(file: rollback.next, at: latest)
        }
        failure = .full
        failureText = rollback.error.description
        lastRoomRequest = 0
        journal.state.withLock { $0.condition = .working }
    }

    /// The active file's numbers after it was cut.
    private func reviveActive() {
        let (end, last) = (activeEnd, last)
        active.withState { state in
            state.end = end
            state.last = last
            state.marks.removeAll { $0.offset >= end }
        }
        lastMark = 0
        activeLines = activeLinesWritten(upTo: last)
        guard end == 0 else { return }
        let start = pending.bytes.count
        _ = active.header.append(to: &pending.bytes)
        pending.parts.append(Batch.Part(segment: active, start: start, last: 0))
        activeEnd = pending.bytes.count - start
    }

    /// Lines of the active file up to a number: they are numbered without a gap.
    private func activeLinesWritten(upTo last: UInt64) -> UInt64 {
        last + 1 >= active.header.first ? last + 1 - active.header.first + 1 : 1
    }

    private func takeBack(_ item: RollbackLog.Item) {
        var handle = item.handle
        switch item.kind {
        case .app:
            if let app = item.more?.app { contents.documents[app.id] = app.document }
            return
        case .tokens:
            contents.tokens.replace(handle, item.more?.tokens)
            return
        case .created:
            release(contents.index[handle])
            contents.keys.remove(item.more?.addedKeys ?? [], of: handle)
            contents.undoRuns[handle] = nil
            contents.index.remove(handle)
            return
        case .changed:
            release(contents.index[handle])
            catalogue.restore(item.prior)
        case .removed:
            let name = item.more?.name ?? []
            contents.keys.remove(item.more?.addedKeys ?? [], of: nil)
            handle = contents.index.insert(name, 0..<name.count)
            precondition(handle == item.handle, "handles are taken back in reverse order")
            catalogue.restore(item.prior)
            contents.keys.restore(item.more?.removedKeys ?? [:], of: handle)
            contents.tokens.replace(handle, item.more?.tokens)
        }
        var entry = item.prior
        let current = contents.index[handle]
        (entry.idStart, entry.idCount) = (current.idStart, current.idCount)
        entry.queuedFor = 0
        contents.index[handle] = entry
        contents.enqueue(handle)
        if let more = item.more {
            contents.undoRuns[handle] = more.undoRuns
            if item.kind == .changed { contents.keys.remove(more.addedKeys, of: handle) }
        }
    }

    private func release(_ entry: SessionEntry) {
        contents.appNames.release(entry.app)
        contents.labelSets.release(entry.labels)
    }

    // MARK: Time

    /// When `tick` is wanted next; nil while nothing is to be done.
    package var nextTick: Milliseconds? {
        if failure == .unavailable { return nil }
        if failure == .full || hasNoRoom { return lastRoomRequest + 1000 }
        // While a sync is under way there is nothing to do but wait for its wake-up.
        guard wantsMark, isSynced else { return nil }
        return (quietSince ?? 0) + options.markAfterMilliseconds
    }

    private var wantsMark: Bool { last > markedUpTo && options.fsync != .never }

    private var isSynced: Bool { journal.synced.load(ordering: .relaxed) == last }

    /// Does what is due: the mark after a pause, another try for room.
    package func tick(now: Milliseconds) {
        if (failure == .full || hasNoRoom) && now - lastRoomRequest >= 1000 {
            lastRoomRequest = now
            maintenance.makeRoom()
        }
        guard failure == nil, wantsMark else { return }
        if quietAt != last || quietSince == nil {
            (quietAt, quietSince) = (last, now)
        } else if let since = quietSince, now - since >= options.markAfterMilliseconds, isSynced {
            appendMark(at: now)
            markedUpTo = last
            quietSince = nil
            submit()
        }
    }

    /// When the next session may expire; `expire` then finds out.
    package var nextExpiry: Milliseconds? {
        if !departed.isEmpty { return 0 }
        return contents.expiry.first.map { Milliseconds($0.seconds) * 1000 }
    }

    /// Sessions whose time has come leave, at most `limit` of them in one call.
    package func expire(now: Milliseconds, limit: Int) throws(StoreError) -> [Deletion] {
        var gone = departed
        departed.removeAll()
        contents.keys.drop(now: now)
        while gone.count < limit, let item = contents.expiry.first,
            Milliseconds(item.seconds) * 1000 <= now
        {
            guard contents.index.isLive(item.handle),
                contents.index[item.handle].queuedFor == item.seconds
            else {
                _ = contents.expiry.popFirst()
                continue
            }
            if contents.index[item.handle].expiresAt > now {
                _ = contents.expiry.popFirst()
                contents.index[item.handle].queuedFor = 0
                contents.enqueue(item.handle)
                continue
            }
            do {
                gone.append(try remove(item.handle, at: now, why: .expired, key: nil))
            } catch {
                if gone.isEmpty { throw error }
                return gone
            }
            _ = contents.expiry.popFirst()
        }
        return gone
    }
}
