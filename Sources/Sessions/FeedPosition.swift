// The number of a change says how far a feed has been delivered only if the store has one log. A
// store with several logs numbers the changes of each log by themselves, and nothing is known about
// the order of changes in different logs. There, a position has one number for each log.
//
// The numbers of such a store contain the log:
//
//     bits 10 to 52   the number within the log
//     bits  0 to 9    the log, counted from 0

extension SequenceNumber {
    private static let logBits: UInt64 = 10

    /// How many bits the number within a log has.
    static let numberBits = 43

    /// The number of a change in one of several logs.
    public init(_ number: UInt64, inLog log: Int) {
        self = number << Self.logBits | UInt64(log)
    }

    /// The log of a change, in a store with several logs.
    public var log: Int { Int(self & (1 << Self.logBits - 1)) }

    /// The number of a change within its log, in a store with several logs.
    public var numberInLog: UInt64 { self >> Self.logBits }
}

/// How far a feed has been delivered: in each log of the store, the changes up to a number.
///
/// A position in a store with one log is a number and allocates no memory.
public struct FeedPosition: Equatable, Sendable {
    /// The last change that has been delivered; 0 if the store has several logs.
    public private(set) var number: SequenceNumber
    /// The last change of each log that has been delivered, 0 if none has; nil if there is one log.
    @usableFromInline private(set) var numbers: [SequenceNumber]?
    /// A checksum of the lineage of a store with several logs.
    let mark: UInt32

    /// The maximum number of logs that a position can have.
    private static let logsMax = 1 << 10

    /// A position in a store with one log.
    public init(_ number: SequenceNumber) {
        (self.number, numbers, mark) = (number, nil, 0)
    }

    /// The beginning of a store with several logs, or with one that is numbered like several.
    ///
    /// - Parameter lineage: letters and digits that identify the store.
    public init(logCount: Int, lineage: String) {
        precondition((1...Self.logsMax).contains(logCount), "a number that fits into ten bits")
        number = 0
        numbers = Array(repeating: 0, count: logCount)
        mark = Self.mark(of: lineage)
    }

    init(_ numbers: [SequenceNumber], mark: UInt32) {
        (number, self.numbers, self.mark) = (0, numbers, mark)
    }

    /// Whether the position has a number for each log.
    public var hasSeveralLogs: Bool { numbers != nil }

    /// The number of logs.
    public var logCount: Int { numbers?.count ?? 1 }

    /// Whether the change with this number has been delivered.
    @inlinable
    public func covers(_ sequence: SequenceNumber) -> Bool {
        numbers == nil ? sequence <= number : coversInItsLog(sequence)
    }

    @usableFromInline
    func coversInItsLog(_ sequence: SequenceNumber) -> Bool {
        guard let numbers else { return false }
        return sequence <= numbers[sequence.log]
    }

    /// Whether every change before the other position has been delivered, too. Both positions
    /// belong to the same store.
    public func covers(_ other: FeedPosition) -> Bool {
        guard let numbers, let others = other.numbers else { return other.number <= number }
        return zip(numbers, others).allSatisfy { $0 >= $1 }
    }

    /// The last change that has been delivered in the log of this change.
    public func last(inLogOf sequence: SequenceNumber) -> SequenceNumber {
        numbers?[sequence.log] ?? number
    }

    // MARK: Moving

    /// Notes that the change with this number has been delivered.
    public mutating func advance(to sequence: SequenceNumber) {
        guard numbers != nil else { return number = max(number, sequence) }
        let log = sequence.log
        if numbers?[log] ?? 0 < sequence { numbers?[log] = sequence }
    }

    /// Goes back until the change with this number has not been delivered.
    public mutating func retreat(before sequence: SequenceNumber) {
        guard sequence > 0, covers(sequence) else { return }
        guard numbers != nil else { return number = sequence - 1 }
        let (before, log) = (max(sequence.numberInLog, 1) - 1, sequence.log)
        numbers?[log] = before > 0 ? SequenceNumber(before, inLog: log) : 0
    }

    /// Adds what has been delivered up to another position of the same store.
    public mutating func formUnion(_ other: FeedPosition) {
        number = max(number, other.number)
        guard let others = other.numbers else { return }
        for sequence in others where sequence > 0 { advance(to: sequence) }
    }

    /// Whether the positions are of the same lineage of a store.
    public func isOfSameLineage(as other: FeedPosition) -> Bool {
        number.isOfSameLineage(as: other.number) && mark == other.mark
            && logCount == other.logCount
    }

    /// The position of a client that has received one log up to this number, and the others as far
    /// as this position says. It is nil if there is no such log.
    public func replacing(with sequence: SequenceNumber) -> FeedPosition? {
        guard let numbers else { return FeedPosition(sequence) }
        guard sequence.log < numbers.count else { return nil }
        var position = self
        position.numbers?[sequence.log] = sequence
        return position
    }
}
