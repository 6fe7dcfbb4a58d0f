import Navigation
import Sessions
import Testing

/// The numbers of what is stored, and what a store is asked to load.
@Suite struct StoredVersionTests {
    private let id = SessionID(trusted: "s")

    @Test func `a single number is the second of two`() {
        #expect(EntityVersion(7) == EntityVersion(0, 7))
        #expect(EntityVersion(7) != EntityVersion(7, 0))
        // The same revision of two sessions that had the same name one after the other.
        #expect(EntityVersion(1, 7) != EntityVersion(2, 7))
    }

    @Test(arguments: [1, 4_294_967_296, 9_007_199_254_740_991] as [SequenceNumber])
    func `a number that is known makes both the version and an ordered ticket`(
        number: SequenceNumber
    ) {
        let version = StoredVersion(number)
        #expect(version == StoredVersion(EntityVersion(number), Ticket(ordered: number)))
        #expect(version != StoredVersion(EntityVersion(number), Ticket(single: number)))
        #expect(version != StoredVersion(EntityVersion(number), .none))
    }

    @Test func `what is stored under a number has its version and waits for it`() {
        let record = StoredRecord(sequence: 9, record: Samples.record("{}"))
        #expect(record.version == StoredVersion(9) && record.appSequence == 9)
        let app = StoredApp(
            id: AppID(trusted: "chat"), sequence: 4, at: Samples.noon, document: [])
        #expect(app.version == StoredVersion(4))
        let deletion = Deletion(
            id: id, sequence: 12, revision: 3, at: Samples.noon, why: .expired, key: nil)
        #expect(deletion.ticket == Ticket(ordered: 12))
    }

    @Test func `a deletion that was read from the log does not say whom it concerns`() {
        let deletion = Deletion(
            id: id, sequence: 12, revision: 3, at: Samples.noon, why: .deleted,
            key: IdempotencyKey(key: "k", digest: 1))
        #expect(deletion.app == nil && deletion.author == nil)
        #expect(deletion.labels.isEmpty && deletion.tokens.isEmpty)
        #expect(deletion.key == IdempotencyKey(key: "k", digest: 1))
    }

    @Test(
        arguments: [
            (0, 4_294_967_295, true), (4_294_967_295, 4_294_967_296, false),
            (4_294_967_296, 8_589_934_591, true), (1, 4_294_967_297, false),
        ] as [(SequenceNumber, SequenceNumber, Bool)])
    func `a lineage has all numbers between two multiples of 2^32`(
        first: SequenceNumber, second: SequenceNumber, isSame: Bool
    ) {
        #expect(first.isOfSameLineage(as: second) == isSame)
        #expect(second.isOfSameLineage(as: first) == isSame)
    }

    @Test func `everything that can be asked for is different`() {
        let requests: [LoadRequest] = [
            .session(id), .history(id), .tokens(id), .turn(id),
            .records(RecordLocation(sequence: 1)), .apps, .allSessions, .acknowledged(id),
        ]
        #expect(Set(requests + requests).count == requests.count)
        #expect(Set(requests + [.turn(SessionID(trusted: "t"))]).count == requests.count + 1)
    }

    @Test func `a location is a single record of any size unless it says more`() {
        let one = RecordLocation(sequence: 5)
        #expect(one == RecordLocation(sequence: 5, behind: 0, after: 0, bytesMax: .max))
        let others = [
            RecordLocation(sequence: 6), RecordLocation(sequence: 5, behind: 1),
            RecordLocation(sequence: 5, after: 1), RecordLocation(sequence: 5, bytesMax: 1),
        ]
        #expect(Set(others + [one]).count == 5)
    }

    @Test func `a key with another request is another key, and each session has its own`() {
        #expect(IdempotencyKey(key: "k", digest: 1) != IdempotencyKey(key: "k", digest: 2))
        #expect(IdempotencyKey(key: "k", digest: 1) != IdempotencyKey(key: "K", digest: 1))
        let scopes: Set<IdempotencyScope> = [
            .creations, .session(id), .session(SessionID(trusted: "creations")), .creations,
        ]
        #expect(scopes.count == 3)
    }

    @Test func `reasons and scopes have the names that records and clients have`() {
        #expect(DeletionReason(rawValue: "deleted") == .deleted)
        #expect(DeletionReason(rawValue: "expired") == .expired)
        #expect(DeletionReason(rawValue: "gone") == nil)
        #expect(Scope.allCases.map(\.rawValue) == ["read", "control", "admin"])
        #expect(Scope(rawValue: "Admin") == nil)
    }
}
