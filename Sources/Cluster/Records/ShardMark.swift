internal import JSON
internal import Bytes
internal import NATS

// Two messages show that a shard is whole:
//
//     nav.011.m     in its own stream, written before anything else
//     nav.c.m.011   in the stream of apps: the number that the shard has reached
//
//     {"op":"mark","lineage":"k3f9","shard":11,"reached":184320,"subject":"nav.011.s.kiosk-1",
//      "last":184319,"time":"1795225000123456789","elen":0,"crc":"59be0d0c"}
//
// and two empty lines. `reached` is 0 in the shard's own stream. `subject`, `last` and `time` are
// those of the last message of the shard that the node had read. They are missing if it had read
// none.

/// A message that marks a shard. See the top of this file.
struct ShardMark: Equatable, Sendable {
    let lineage: String
    let shard: Int
    /// The stream sequence that the shard's stream has reached at least.
    let reached: Int
    /// The last message that was read when it was written.
    let landmark: StreamLandmark?

    init(
        _ shard: Int, of lineage: String, reached: Int = 0, landmark: StreamLandmark? = nil
    ) {
        (self.lineage, self.shard, self.reached) = (lineage, shard, reached)
        self.landmark = landmark
    }

    var text: [UInt8] {
        var line = ByteWriter(operation: "mark")
        line.member("lineage", plain: lineage)
        line.member("shard", shard)
        line.member("reached", reached)
        if let landmark {
            line.member("subject", string: landmark.subject.text)
            line.member("last", landmark.number)
            line.member("time", plain: String(landmark.time.nanoseconds))
        }
        return SharedRecordText.seal(line, state: [])
    }

    /// The headers with which it is stored.
    ///
    /// - Parameter expected: the stream sequence of the last message of its subject.
    func headers(after expected: Int) -> [Header] {
        [Header.expectedLastSequence(expected), MessageHead.header(text)].compactMap { $0 }
    }

    /// Reads the message.
    init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        let text = try SharedRecordText(message)
        guard try text.text("op") == "mark" else { throw .member("op") }
        lineage = try text.text("lineage")
        shard = try text.number("shard")
        reached = try text.number("reached")
        if let subject = try text.optional("subject", { try? Subject($0) }) {
            landmark = StreamLandmark(
                subject: subject, number: try text.number("last"),
                time: ServerTime(nanoseconds: try text.required("time") { Int($0) }))
        } else {
            landmark = nil
        }
    }
}

extension StoreLayout {
    /// The subject of the message with which the stream of a shard begins.
    func markSubject(_ shard: Int) -> Subject {
        Subject(trusted: subjects(shard).text.dropLast() + "m")
    }

    /// The subject, in the stream of apps, of the number that a shard has reached.
    func reachedSubject(_ shard: Int) -> Subject {
        Subject(trusted: controlSubjects.text.dropLast() + "m." + stream(shard).text.suffix(3))
    }

    /// The shard that a message marks. Nil if it has another subject.
    ///
    /// - Parameter shard: the shard whose stream it is in. Nil for the stream of apps.
    func shardMarked(by subject: ArraySlice<UInt8>, in shard: Int?) -> Int? {
        if let shard {
            let isMark =
                subject.suffix(2).elementsEqual(".m".utf8)
                && subject.elementsEqual(markSubject(shard).text.utf8)
            return isMark ? shard : nil
        }
        guard subject.suffix(6).starts(with: ".m.".utf8),
            let number = Int(String(decoding: subject.suffix(3), as: UTF8.self)),
            (0..<shardCount).contains(number),
            subject.elementsEqual(reachedSubject(number).text.utf8)
        else { return nil }
        return number
    }
}
