import Glibc

/// A message as a server keeps it.
struct ModelMessage {
    let sequence: Int
    let subject: String
    /// The block of headers with its first and last line; empty if there are none.
    let headers: [UInt8]
    let payload: [UInt8]
    /// When it was stored: nanoseconds after `messageEpoch`. No other message of the stream has the
    /// same.
    var time = 0
}

/// A stream of the model: what was stored, and which part of it is left.
struct ModelStream {
    let name: String
    let filter: String
    /// How many messages of each subject are kept.
    let messagesPerSubjectMax: Int
    /// When it was created: nanoseconds below a second.
    let created: Int
    /// The body of the request that created it.
    var config: String
    /// The number of the first message.
    let firstSequence: Int
    /// The number of messages that were ever stored, also of those that were lost.
    private var storedCount = 0
    /// The token that is put into the subjects of sessions, as `subject_transform` can do.
    var subjectInfix: String?
    /// Everything that was ever stored.
    private(set) var log: [ModelMessage] = []
    /// The indices in the log by subject.
    private(set) var indices: [String: [Int]] = [:]

    init(
        name: String, filter: String, messagesPerSubjectMax: Int, created: Int, config: String,
        firstSequence: Int = 1
    ) {
        self.name = name
        self.filter = filter
        self.messagesPerSubjectMax = messagesPerSubjectMax
        self.created = created
        self.config = config
        self.firstSequence = firstSequence
    }

    /// The answer to a question about the stream from a server that has all up to a number.
    ///
    /// - Parameters:
    ///   - isLed: whether the stream has a leader. Otherwise the server only has a copy.
    ///   - copyLag: how many operations one of two copies lacks. If it is nil, nothing is said
    ///     about copies.
    func info(
        upTo last: Int = .max, isLed: Bool = true, copyLag: Int? = nil, time: String? = nil
    ) -> String {
        let copies =
            if !isLed {
                #","cluster":{"replicas":[{"name":"n1"},{"name":"n2"}]}"#
            } else if let copyLag {
                #","cluster":{"leader":"n0","replicas":[{"name":"n1","current":true},"#
                    + #"{"name":"n2","current":\#(copyLag == 0),"lag":\#(copyLag)}]}"#
            } else {
                ""
            }
        let known = log.prefix { $0.sequence <= last }
        let left = known.first { has($0) }?.sequence
        let first = left ?? max(firstSequence, lastRemoved + 1)
        let fraction = String(created + 1_000_000_000).dropFirst()
        let time = time.map { #","ts":"\#($0)""# } ?? ""
        let end = known.count == log.count ? lastSequence : known.last?.sequence ?? 0
        let subjects = Set(known.lazy.filter(has).map(\.subject)).count
        return #"{"config":\#(config),"created":"2026-11-22T19:23:34.\#(fraction)Z""# + time
            + #","state":{"messages":\#(known.count),"bytes":0,"first_seq":\#(first),"#
            + #""last_seq":\#(end),"num_subjects":\#(subjects)}"#
            + copies + "}"
    }

    /// The number of the last message. Numbers have gaps, as after messages of other purposes.
    var lastSequence: Int { max(log.last?.sequence ?? firstSequence - 1, lastRemoved) }
    private var lastRemoved = 0

    /// The fate of a publication.
    enum Stored: Equatable {
        case stored(Int)
        /// The last message of the subject has this number, which is not the expected one.
        case wrong(last: Int)
    }

    mutating func store(_ publication: ModelPublication, skipping gap: Int = 0) -> Stored {
        let subject = transformed(publication.subject)
        let last = messages(of: subject).last?.sequence ?? 0
        if let expected = publication.expected, expected != last { return .wrong(last: last) }
        storedCount += 1
        let message = ModelMessage(
            sequence: lastSequence + 1 + gap, subject: subject,
            headers: publication.headers, payload: publication.payload, time: storedCount)
        indices[subject, default: []].append(log.count)
        log.append(message)
        return .stored(message.sequence)
    }

    private func transformed(_ subject: String) -> String {
        subjectInfix.map { subject.replacing(".s.", with: ".\($0).s.", maxReplacements: 1) }
            ?? subject
    }

    /// Forgets one message, as after damage of a server's files.
    mutating func drop(_ sequence: Int) {
        guard let place = log.firstIndex(where: { $0.sequence == sequence }) else { return }
        let subject = log.remove(at: place).subject
        indices[subject]?.removeAll { $0 == place }
        indices = indices.mapValues { own in own.map { $0 > place ? $0 - 1 : $0 } }
    }

    /// Takes the header with the short form from messages, as earlier versions wrote them.
    mutating func removeHeads(_ isChosen: (ModelMessage) -> Bool) {
        for (place, message) in log.enumerated() where isChosen(message) {
            let lines = String(decoding: message.headers, as: UTF8.self)
                .split(separator: "\r\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("N: ") }
            log[place] = ModelMessage(
                sequence: message.sequence, subject: message.subject,
                headers: Array(lines.joined(separator: "\r\n").utf8), payload: message.payload,
                time: message.time)
        }
    }

    /// Removes one message, as a purge of its subject does.
    mutating func remove(_ sequence: Int) {
        drop(sequence)
        lastRemoved = max(lastRemoved, sequence)
    }

    /// Changes one byte of a message.
    mutating func damage(_ sequence: Int) {
        guard let place = log.firstIndex(where: { $0.sequence == sequence }) else { return }
        var payload = log[place].payload
        payload[payload.count / 2] ^= 1
        let message = log[place]
        log[place] = ModelMessage(
            sequence: sequence, subject: message.subject, headers: message.headers,
            payload: payload, time: message.time)
    }

    /// Removes all messages, or those of a subject, before a number.
    ///
    /// - Returns: how many these were.
    @discardableResult
    mutating func purge(_ subject: String? = nil, before number: Int = .max) -> Int {
        if subject == nil { lastRemoved = max(lastRemoved, min(lastSequence, number - 1)) }
        let old = log.filter {
            (subject == nil || $0.subject == subject) && $0.sequence < number
        }
        for message in old { remove(message.sequence) }
        return old.count
    }

    /// Forgets the last messages, as servers that have lost their disks.
    mutating func lose(_ count: Int) {
        for message in log.suffix(count) { indices[message.subject]?.removeLast() }
        log.removeLast(count)
    }

    /// The messages of a subject that are left, for a server that has all up to a number.
    func messages(of subject: String, upTo last: Int = .max) -> [ModelMessage] {
        guard let all = indices[subject] else { return [] }
        let known = all.lazy.map { log[$0] }.prefix { $0.sequence <= last }
        return Array(known.suffix(messagesPerSubjectMax))
    }

    /// The messages from a number on that match a filter and are left, for a server that has all
    /// up to a number.
    func messages(matching filter: String, from first: Int, upTo last: Int) -> [ModelMessage] {
        guard filter.hasSuffix(">") else {
            return messages(of: filter, upTo: last).filter { $0.sequence >= first }
        }
        return log.filter { message in
            guard message.sequence >= first, message.sequence <= last,
                ModelSubject.matches(message.subject, filter),
                let oldest = messages(of: message.subject, upTo: last).first
            else { return false }
            return oldest.sequence <= message.sequence
        }
    }

    /// Whether a message is left.
    func has(_ message: ModelMessage) -> Bool {
        guard let last = indices[message.subject]?.suffix(messagesPerSubjectMax).first else {
            return false
        }
        return message.sequence >= log[last].sequence
    }

    /// The messages from a number on that are left, and of these only the last of each subject up
    /// to another number.
    func messages(from first: Int, lastPerSubjectUpTo limit: Int) -> [ModelMessage] {
        let tail = log.reversed().prefix { $0.sequence >= first }.reversed()
        return tail.filter { message in
            guard has(message) else { return false }
            guard message.sequence <= limit else { return true }
            return messages(of: message.subject, upTo: limit).last?.sequence == message.sequence
        }
    }
}

/// A message that a client has published.
struct ModelPublication {
    let subject: String
    let reply: String?
    let headers: [UInt8]
    let payload: [UInt8]

    /// Whether the subject contains a text, compared by bytes.
    ///
    /// A search by characters makes tables for each comparison, and took a third of all the time.
    func isAbout(_ text: String) -> Bool { unsafe strstr(subject, text) != nil }

    /// The number that the last message of the subject must have.
    var expected: Int? {
        let name = "Nats-Expected-Last-Subject-Sequence: "
        let text = String(decoding: headers, as: UTF8.self)
        for line in text.split(separator: "\r\n") where line.hasPrefix(name) {
            return Int(line.dropFirst(name.count))
        }
        return nil
    }
}

/// Subjects and filters.
enum ModelSubject {
    /// Whether a filter, which may have a wildcard as its last word, matches a subject.
    static func matches(_ subject: String, _ filter: String) -> Bool {
        let start = filter.utf8.count - 1
        // Most filters end here. The servers compare each subject with all of them.
        guard unsafe strncmp(subject, filter, start) == 0 else { return false }
        guard let last = filter.utf8.last, last == UInt8(ascii: ">") || last == UInt8(ascii: "*")
        else { return subject == filter }
        guard subject.utf8.count > start else { return false }
        return last == UInt8(ascii: ">")
            || !subject.utf8.dropFirst(start).contains(UInt8(ascii: "."))
    }
}
