import NATS
import TestSupport
import Testing

/// Runs the ordered reader against a stream whose consumers disappear and whose link drops,
/// duplicates and reorders messages. No message is lost or delivered twice, the order is that of
/// the stream, and once the faults end, the reader reaches the end of the stream in a bounded
/// number of steps.
@Suite struct ReaderModelTests {
    /// A server with one stream, whose messages travel over an unreliable wire.
    struct World {
        var dice: SplitMix64
        /// The sequences in the stream, with gaps.
        var stream: [Int] = []
        var last = 0
        var consumer: (generation: Int, next: Int, sent: Int)?
        var wire: [(generation: Int, item: FeedItem)] = []
        var faultIn = 20

        /// Sends the next message that the consumer has not sent yet, or an idle heartbeat.
        mutating func serve() {
            guard var consumer else { return }
            if let number = stream.first(where: { $0 >= consumer.next }) {
                consumer.next = number + 1
                consumer.sent += 1
                send(consumer.generation, Self.delivery(consumer.sent, number))
            } else {
                send(
                    consumer.generation,
                    .heartbeat(
                        lastConsumer: consumer.sent, lastStream: consumer.next - 1, stalled: nil))
            }
            self.consumer = consumer
        }

        private mutating func send(_ generation: Int, _ item: FeedItem) {
            guard faultIn > 0, dice.oneIn(faultIn) else {
                wire.append((generation, item))
                return
            }
            switch dice.below(4) {
            case 0: break
            case 1: wire += [(generation, item), (generation, item)]
            case 2: wire.insert((generation, item), at: dice.below(wire.count + 1))
            default: consumer = nil
            }
        }

        static func delivery(_ consumer: Int, _ stream: Int) -> FeedItem {
            let reply = "$JS.ACK.S.c.1.\(stream).\(consumer).0.0"
            guard let found = Delivery(Array(reply.utf8)[...]) else { preconditionFailure(reply) }
            return .delivery(found)
        }
    }

    @Test(.seeded, arguments: SplitMix64.worlds(40))
    func `every message is delivered once and in order`(round: Int) {
        var world = World(dice: SplitMix64(stream: UInt64(round)))
        world.faultIn = [2, 5, 20, 100][round % 4]
        var reader = OrderedReader(after: 0)
        var (now, seen, creations): (Int64, [Int], Int) = (0, [], 0)

        func obey(_ action: ReaderAction) {
            switch action {
            case .none, .answer: break
            case .deliver: seen.append(reader.lastSequence)
            case .create(let generation, let from):
                creations += 1
                #expect(from == (seen.last ?? 0) + 1)
                // Sometimes the request or its response is lost, or the server refuses.
                switch world.faultIn == 0 ? 9 : world.dice.below(10) {
                case 0: break
                case 1: reader.refused(generation: generation, at: now, random: world.dice.next())
                case 2: world.consumer = (generation, from, 0)
                default:
                    world.consumer = (generation, from, 0)
                    reader.created(generation: generation, at: now)
                }
            }
        }

        obey(reader.linked(at: now))
        for step in 0..<3_000 {
            if step == 2_000 { world.faultIn = 0 }
            now += Int64(world.dice.below(60))
            if step < 2_000, world.dice.oneIn(2) {
                world.last += 1 + (world.dice.oneIn(5) ? world.dice.below(9) : 0)
                world.stream.append(world.last)
            }
            if world.dice.oneIn(world.faultIn > 0 ? 300 : .max) {
                reader.unlinked()
                world.consumer = nil
                world.wire = []
                obey(reader.linked(at: now))
            }
            for _ in 0..<world.dice.below(4) { world.serve() }
            for _ in 0..<world.dice.below(5) where !world.wire.isEmpty {
                let (generation, item) = world.wire.removeFirst()
                obey(
                    reader.received(
                        item, generation: generation, at: now, random: world.dice.next()))
            }
            obey(reader.expired(at: now, random: world.dice.next()))
            #expect(seen == Array(world.stream.prefix(seen.count)))
            guard seen.count <= world.stream.count, seen.last == world.stream[..<seen.count].last
            else { return }
        }
        #expect(seen == world.stream, "\(creations) consumers")
        #expect(creations > 1)
    }
}
