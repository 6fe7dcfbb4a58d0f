internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The conditions of a list that only the records of the sessions tell: the route that they show,
/// and how long ago exactly they were changed.
struct RecordConditions {
    private let filter: SessionFilter
    private let context: RequestContext

    init(_ filter: SessionFilter, _ context: RequestContext) {
        (self.filter, self.context) = (filter, context)
    }

    /// Whether there are such conditions.
    var areAny: Bool { filter.needsRecords }

    /// Whether a session is selected. One with an unreadable record is not.
    func hold(for handle: SessionHandle) throws(StoreError) -> Bool {
        guard areAny else { return true }
        let record: SessionRecord
        do throws(StoreError) {
            record = try context.store.reading.newest(handle).record
        } catch {
            guard error == .damaged else { throw error }
            return false
        }
        guard filter.isIdle(changedAt: record.at, now: context.now) else { return false }
        guard let visible = filter.visible else { return true }
        return record.state.visibleRoute.map { $0.elementsEqual(visible.rawValue.utf8) } ?? false
    }

    /// The selected ones of some sessions.
    ///
    /// - Throws: `load` with all that is not in memory.
    func selected(of handles: [SessionHandle]) throws(OperationError) -> [SessionHandle] {
        guard areAny else { return handles }
        var (selected, missing) = ([SessionHandle](), [LoadRequest]())
        for handle in handles {
            do throws(StoreError) {
                if try hold(for: handle) { selected.append(handle) }
            } catch {
                guard case .notInMemory(let requests) = error else { throw OperationError(error) }
                missing += requests
            }
        }
        guard missing.isEmpty else { throw .load(missing) }
        return selected
    }
}

extension [UInt8] {
    /// The visible route in the JSON of a session. A name needs no escapes.
    fileprivate var visibleRoute: ArraySlice<UInt8>? {
        guard let visible = members?.first(where: { $0.name == "visible" })?.value else {
            return nil
        }
        let object = Array(self[visible])
        guard let route = object.members?.first(where: { $0.name == "route" })?.value else {
            return nil
        }
        return object[route].dropFirst().dropLast()
    }
}
