internal import Bytes

// Resolving the names by which clients mean containers.

extension SessionEditor {
    @inline(__always)
    func container(_ target: Target) throws(RejectionError) -> Container {
        switch target {
        case .active: return state.active
        case .named(let name):
            guard let id = EntryID(name) else { return .tab(try tab(name)) }
            guard let index = state.sheetIndex(id) else { throw .sheetNotFound(name) }
            return .sheet(index)
        }
    }

    func tab(_ name: String) throws(RejectionError) -> Int {
        guard let index = state.tabIndex(named: name) else {
            throw .tabNotFound(name, known: state.tabs.map { $0.id })
        }
        return index
    }

    /// The number of sheets left when those over the container are dismissed.
    func sheetsKept(by container: Container) -> Int {
        switch container {
        case .tab: 0
        case .sheet(let index): index + 1
        }
    }
}
