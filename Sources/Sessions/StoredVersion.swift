/// What the entity tag of a stored state is made of: one number, or two. The store chooses them. It
/// knows them before the change is kept, and gives them to no other state for as long as it has its
/// lineage.
///
/// A store on this machine takes the number of the record. A number that only several servers
/// together can assign is known too late; their store takes a random number that each session is
/// born with, and the revision.
package struct EntityVersion: Hashable, Sendable {
    /// 0 if the second number is enough.
    package let first: UInt64
    /// The second number.
    package let second: UInt64

    package init(_ number: UInt64) { (first, second) = (0, number) }

    package init(_ first: UInt64, _ second: UInt64) { (self.first, self.second) = (first, second) }
}

/// The version of a stored state, and when it may be shown.
package struct StoredVersion: Hashable, Sendable {
    /// What its entity tag is made of.
    package let entity: EntityVersion
    /// The state may be shown when the change that made it is kept.
    package let ticket: Ticket

    package init(_ entity: EntityVersion, _ ticket: Ticket) {
        self.entity = entity
        self.ticket = ticket
    }

    /// The version of a record whose number is known when it is put.
    package init(_ sequence: SequenceNumber) {
        self.init(EntityVersion(sequence), Ticket(ordered: sequence))
    }
}
