package import Navigation
package import Sessions
internal import Synchronization

extension Store {
    package func tokens(
        of handle: SessionHandle
    ) -> (sequence: SequenceNumber, tokens: [SessionToken]) {
        let row = contents.tokens[handle]
        return (row?.sequence ?? 0, row?.tokens ?? [])
    }

    package func owner(
        of digest: TokenDigest, now: Milliseconds
    ) -> (handle: SessionHandle, token: SessionToken)? {
        guard let found = contents.tokens.owner(of: digest), found.token.isGood(at: now),
            contents.index[found.handle].expiresAt > now
        else { return nil }
        return found
    }

    package func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> SequenceNumber {
        try refuseIfUnable(isGrowth: !tokens.isEmpty)
        try makeRoom(Self.envelopeBase + tokens.count * SessionToken.textMax)
        let start = pending.bytes.count
        beginLine("tokens")
        line.append(
            tokens, of: contents.index.id(handle), born: contents.index[handle].born, at: at)
        endLine()
        let row = TokenTable.Row(
            sequence: last, length: pending.bytes.count - start, tokens: tokens)
        let more = RollbackLog.More()
        more.tokens = contents.tokens.replace(handle, row)
        if let old = more.tokens { supersede(old) }
        rollbackLog.append(
            RollbackLog.Item(
                sequence: last, handle: handle, kind: .tokens, prior: SessionEntry(), more: more))
        return last
    }

    func supersede(_ row: TokenTable.Row) {
        catalogue.supersede(row.sequence, row.length)
        compaction.superseded(row.length)
    }
}
