/// The one or two numbers that the entity tag of a stored state is made of. The store chooses them.
/// It knows them before the change is kept, and never uses them for another state within its
/// lineage.
///
/// A store on this machine uses the number of the record. A number that several servers have to
/// agree on is known too late. A store on such servers therefore uses a random number that each
/// session gets when it is created, and the revision.
public struct EntityVersion: Hashable, Sendable {
    /// The first number; 0 if the second one is enough.
    public let first: UInt64
    /// The second number.
    public let second: UInt64

    public init(_ number: UInt64) { (first, second) = (0, number) }

    public init(_ first: UInt64, _ second: UInt64) { (self.first, self.second) = (first, second) }
}

/// The version of a stored state, and when it may be shown.
public struct StoredVersion: Hashable, Sendable {
    /// The numbers that its entity tag is made of.
    public let entity: EntityVersion
    /// The ticket of the change that led to the state, which may be shown once that is kept.
    public let ticket: Ticket

    public init(_ entity: EntityVersion, _ ticket: Ticket) {
        self.entity = entity
        self.ticket = ticket
    }

    /// Creates the version of a record whose number is known when it is put.
    public init(_ sequence: SequenceNumber) {
        self.init(EntityVersion(sequence), Ticket(ordered: sequence))
    }
}
