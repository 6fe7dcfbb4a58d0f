internal import Bytes

/// Identifies a write: the node that made it, since its last start, and a number that increases
/// with each write. Every record contains it, so that a node that got no answer can tell its own
/// record from another node's.
package struct WriteID: Hashable, Sendable {
    /// A random number that the node chose when it started.
    package let node: UInt64
    /// The number of the write, counted from 1.
    package let number: UInt64

    package init(node: UInt64, number: UInt64) {
        self.node = node
        self.number = number
    }

    /// The id as 32 lower-case hexadecimal digits.
    package var text: String {
        var text = ByteWriter(capacity: 32)
        text.append(hexadecimal: node, digits: 16)
        text.append(hexadecimal: number, digits: 16)
        return text.string
    }

    /// Reads 32 hexadecimal digits in lower case. Returns nil for other text.
    package init?(_ text: some Collection<UInt8>) {
        guard text.count == 32, let node = Hexadecimal.number(text.prefix(16)),
            let number = Hexadecimal.number(text.dropFirst(16))
        else { return nil }
        self.init(node: node, number: number)
    }
}
