package import Navigation
package import Sessions

extension Store: SessionStore {
    package var durable: SequenceNumber { durability.durable }
    package var refusal: StoreError? { failure ?? (durability.hasNoRoom ? .full : nil) }
    package var damagedFiles: Int { troubles.damagedFiles }
    package var sessionCount: Int { state.count }

    package func find(_ id: SessionID, now: Milliseconds) -> SessionHandle? {
        guard let handle = state.find(id), state[handle].expiresAt > now else { return nil }
        return handle
    }

    package func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) -> SessionHandle? {
        guard let handle = state.find(bytes, range), state[handle].expiresAt > now
        else { return nil }
        return handle
    }

    package func summary(_ handle: SessionHandle) -> SessionSummary { state.summary(of: handle) }

    package func sequence(of handle: SessionHandle) -> SequenceNumber { state[handle].sequence }

    package func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> SequenceNumber {
        try reader.appendState(handle, to: &bytes)
    }

    package func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        try reader.newest(handle)
    }

    package func revision(
        _ revision: Int, of handle: SessionHandle
    ) throws(StoreError) -> StoredRecord? {
        try reader.revision(revision, of: handle)
    }

    package func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        try reader.changes(of: handle, after: after, bytesLeft: &bytesLeft)
    }

    package func kept(
        _ key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        try reader.result(ofKey: key, in: scope, now: now)
    }

    package func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) -> SessionPage {
        state.walk(SessionWalk(after: after, limit: limit), filter: filter, now: now)
    }

    package func put(
        _ records: [SessionRecord], _ written: (SessionRecord, SequenceNumber) -> Void
    ) throws(StoreError) {
        try writer.put(records, written)
    }

    package func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?
    ) throws(StoreError) -> Deletion {
        try writer.remove(handle, at: at, why: .deleted, key: key)
    }

    package func tokens(
        of handle: SessionHandle
    ) -> (sequence: SequenceNumber, tokens: [SessionToken]) {
        let row = state.tokens(of: handle)
        return (row?.sequence ?? 0, row?.tokens ?? [])
    }

    package func owner(
        of digest: TokenDigest, now: Milliseconds
    ) -> (handle: SessionHandle, token: SessionToken)? {
        guard let found = state.owner(of: digest), found.token.isGood(at: now),
            state[found.handle].expiresAt > now
        else { return nil }
        return found
    }

    package func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> SequenceNumber {
        try writer.putTokens(tokens, of: handle, at: at)
    }

    package var apps: [StoredApp] { state.apps }

    package func putApps(
        _ documents: [(id: AppID, text: [UInt8])], at: Milliseconds
    ) throws(StoreError) -> [SequenceNumber] {
        try writer.putApps(documents, at: at)
    }

    package func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> SequenceNumber {
        try writer.deleteApp(id, at: at)
    }

    package func sessionCount(of app: AppID) -> Int { state.sessionCount(of: app) }
}
