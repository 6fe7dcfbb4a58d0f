internal import NATS
internal import Sessions

/// Which node this is, since its start, and the numbers that it gives.
struct NodeIdentity {
    /// A random number that no other node has, and this one only until it ends.
    let node: UInt64
    private let random: () -> UInt64
    private var lastNumber: UInt64 = 0

    /// - Parameter random: a source of bits that nobody can foresee.
    init(random: @escaping () -> UInt64) {
        self.random = random
        node = random() | 1
    }

    /// A new write, with the ticket that stands for it.
    mutating func nextWrite() -> (id: WriteID, ticket: Ticket) {
        lastNumber += 1
        return (WriteID(node: node, number: lastNumber), Ticket(single: lastNumber))
    }

    /// The number that all records of a new session have in common.
    func birth() -> UInt64 { random() | 1 }
}
