internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

// Records come back from the store with valid checksums, but anybody who can write to the data
// directory can compute a checksum. So an unreadable record is answered with 500 and logged. It
// must not end the process.

extension RequestContext {
    /// A stored record as a session.
    func session(_ stored: StoredRecord) throws(OperationError) -> Session {
        do {
            return try SessionDecoder.decode(stored.record)
        } catch {
            throw unreadable(stored.sequence, "is not a session: \(error)")
        }
    }

    /// The members of a stored event, and where their values are.
    func members(ofEvent stored: StoredRecord) throws(OperationError) -> [TextMember] {
        if let members = stored.record.event.members { return members }
        throw unreadable(stored.sequence, "has an event that is not an object")
    }

    /// Logs that a record is unreadable, and returns the problem to respond with.
    func unreadable(_ sequence: SequenceNumber, _ why: String) -> OperationError {
        service.environment.reportUnreadable("record \(sequence) \(why)")
        return .problem(
            Problem(
                .internalError, "The stored data cannot be read. The server log says why."))
    }
}

extension [UInt8] {
    /// The members of the object that this text is. Nil if it is not an object.
    var members: [TextMember]? {
        var reader = JSONReader(self, limits: .stored)
        var members: [TextMember] = []
        do {
            try reader.beginObject()
            while let name = try reader.nextKey() { members.append((name, try reader.skipValue())) }
            try reader.expectEnd()
            return members
        } catch {
            return nil
        }
    }
}
