internal import Bytes
internal import NATS
internal import Navigation
internal import Sessions

// Examines the messages of a store one by one, in the order of their streams.
//
//  - Each message must be one of the store: its subject, its form, its checksum.
//  - Each names the message of its subject that it follows. That must be the one before it, as far
//    as it is still stored.
//  - The revisions of a session are consecutive, and its end names the last one. All its records
//    have the same birth. Another birth begins with revision 1.

/// The findings about a store while its messages are read. See the top of this file.
struct StoreAudit {
    /// Something that is not as it should be.
    enum Finding: Equatable {
        /// A message is damaged, or does not fit to the one before it.
        case damage(String)
        /// Messages of a subject are missing before one. They may have been removed while the
        /// stream was read, because a stream keeps only the last ones. `after` is the one that was
        /// read before it; nil if that is the first one.
        case gap(StoreLayout.Item, after: Int?, before: Int)
    }

    private struct Last {
        /// The stream sequence of the last message.
        var number: Int
        /// The first message of the subject and the number of messages.
        var first: Int
        var count = 1
        /// Whether the first message follows another one.
        var isCut: Bool
        var born: UInt64 = 0
        var revision = 0
        var hasEnded = false
        /// Whether the last message is damaged, so that nothing is known of its revision.
        var isDamaged = false

        /// Whether it is nothing but the end of a session, whose damaged messages were removed.
        var isEnd: Bool { hasEnded && count == 1 }
    }

    private(set) var messageCount = 0
    private let layout: StoreLayout
    private(set) var marks: ShardMarks
    private var lasts: [StoreLayout.Item: Last] = [:]

    init(_ layout: StoreLayout) {
        self.layout = layout
        marks = ShardMarks(shardCount: layout.shardCount)
    }

    /// The number of sessions that have not ended, except those of which no message can be read.
    var sessionCount: Int {
        lasts.count { item, last in
            if case .session = item { !last.hasEnded && last.revision > 0 } else { false }
        }
    }

    /// The gaps before the first messages of subjects of which the stream could keep more.
    var gapsAtStart: [Finding] {
        lasts.compactMap { item, last in
            switch item {
            case .session, .tokens:
                last.isCut && last.count < SessionCell.recordsMax && !last.isEnd
                    ? .gap(item, after: nil, before: last.first) : nil
            case .app, .meta: nil  // They are not followed.
            }
        }
    }

    /// Examines a message.
    ///
    /// - Parameter shard: the shard whose stream it is in. Nil for the stream of apps.
    mutating func take(_ message: FedMessage, of shard: Int?) -> [Finding] {
        messageCount += 1
        do throws(DamageError) {
            switch try StoreMessage(message, of: shard, in: layout) {
            case .session(let record): return take(record, message.number)
            case .tokens(let tokens):
                return follow(.tokens(tokens.id), message.number, previous: tokens.link.previous)
            case .facts: marks.foundedAt = message.storedAt
            case .mark(let marked):
                try marks.take(message, of: marked, isInShard: shard != nil, lineage: nil)
            case .app, .plan, .barrier: break
            }
            return []
        } catch {
            if let item = error.item {
                // The next message refers to this one, although it is damaged.
                _ = follow(item, message.number, previous: lasts[item]?.number ?? 0)
                lasts[item]?.isDamaged = true
            }
            let subject = String(decoding: message.subject, as: UTF8.self)
            return [.damage("message \(message.number) of \(subject) is damaged: \(error.reason)")]
        }
    }

    private mutating func take(_ record: SharedRecord, _ number: Int) -> [Finding] {
        let item = StoreLayout.Item.session(record.id)
        let before = lasts[item]
        var findings = follow(item, number, previous: record.previous)
        let (revision, isEnd) =
            switch record.content {
            case .revision(let own): (own.revision, false)
            case .end(let end): (end.revision, true)
            }
        lasts[item]?.born = record.born
        lasts[item]?.revision = revision
        lasts[item]?.hasEnded = isEnd
        lasts[item]?.isDamaged = false
        // After a gap or damage nothing is known about the revision before.
        guard let before, !before.isDamaged, findings.isEmpty else { return findings }
        let expected: Int
        if record.born == before.born, !before.hasEnded {
            expected = isEnd ? before.revision : before.revision + 1
        } else {
            expected = isEnd ? 0 : 1
        }
        if revision != expected {
            findings.append(
                .damage(
                    "message \(number) of session \(record.id) has revision \(revision) "
                        + "instead of \(expected)"))
        }
        return findings
    }

    /// Notes a message, and compares what it follows with the one before it.
    private mutating func follow(
        _ item: StoreLayout.Item, _ number: Int, previous: Int
    ) -> [Finding] {
        guard var last = lasts[item] else {
            lasts[item] = Last(number: number, first: number, isCut: previous > 0)
            return []
        }
        let former = last.number
        last.number = number
        last.count += 1
        lasts[item] = last
        return former == previous ? [] : [.gap(item, after: former, before: number)]
    }
}
