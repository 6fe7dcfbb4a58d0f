/// The part of a session that a user interface shows. This value applies local changes and finds
/// the next step toward another state.
struct NavigationState: Sendable, Hashable {
    var selectedTab = ""
    var tabs: [Tab] = []
    var sheets: [Sheet] = []

    init() {}

    init(_ session: Session) {
        selectedTab = session.selectedTab
        tabs = session.tabs
        sheets = session.sheets
    }

    /// The same state with its ids replaced according to `names`.
    func renamed(_ names: [String: String]) -> NavigationState {
        guard !names.isEmpty else { return self }
        var state = self
        for index in tabs.indices {
            state.tabs[index].path = tabs[index].path.map { $0.renamed(names) }
        }
        for (index, sheet) in sheets.enumerated() {
            state.sheets[index].id = names[sheet.id] ?? sheet.id
            state.sheets[index].presentedBy = names[sheet.presentedBy] ?? sheet.presentedBy
            state.sheets[index].path = sheet.path.map { $0.renamed(names) }
        }
        return state
    }

    /// The ids of all entries and sheets, from bottom to top.
    var ids: [String] {
        tabs.flatMap { $0.path.map(\.id) } + sheets.flatMap { [$0.id] + $0.path.map(\.id) }
    }

    /// The id of the container that the user is in: the top sheet, or the selected tab if there is
    /// no sheet.
    var active: String { sheets.last?.id ?? selectedTab }

    /// The path of a tab or a sheet. Setting the path of any other container does nothing.
    subscript(path container: String) -> [Entry]? {
        get {
            tabs.first { $0.id == container }?.path ?? sheets.first { $0.id == container }?.path
        }
        set {
            guard let newValue else { return }
            if let index = tabs.firstIndex(where: { $0.id == container }) {
                tabs[index].path = newValue
            } else if let index = sheets.firstIndex(where: { $0.id == container }) {
                sheets[index].path = newValue
            }
        }
    }
}

extension NavigationState {
    /// Applies a change as the server probably will. A change that makes no sense in this state
    /// does nothing.
    mutating func apply(_ change: LocalChange) {
        switch change {
        case .push(let entry, let container):
            self[path: container ?? active]?.append(entry)
            if let container, tabs.contains(where: { $0.id == container }) {
                selectedTab = container
            }
        case .setPath(let path, let container): self[path: container] = path
        case .back: goBack()
        case .root(let scope): goToRoot(scope)
        case .present(let sheet, _): present(sheet)
        case .dismiss(let id, _, let force):
            guard let index = sheets.firstIndex(where: { $0.id == id }) else { return }
            guard force || sheets[index...].allSatisfy(\.isDismissible) else { return }
            sheets.removeSubrange(index...)
        case .select(let tab):
            if tabs.contains(where: { $0.id == tab }) { selectedTab = tab }
        case .command: break
        }
    }

    /// Presents a sheet. An existing sheet with the same tag is replaced, unless it shows the same
    /// screen; then it stays.
    private mutating func present(_ sheet: Sheet) {
        if let tag = sheet.tag, let index = sheets.firstIndex(where: { $0.tag == tag }) {
            let old = sheets[index]
            let isSame =
                old.route == sheet.route && old.params == sheet.params && old.style == sheet.style
            sheets.removeSubrange((isSame ? index + 1 : index)...)
            if isSame { return }
        }
        sheets.append(sheet)
    }

    private mutating func goBack() {
        if self[path: active]?.isEmpty == false {
            self[path: active]?.removeLast()
        } else if let sheet = sheets.last, sheet.isDismissible {
            sheets.removeLast()
        }
    }

    private mutating func goToRoot(_ scope: RootScope) {
        switch scope {
        case .path: self[path: active] = []
        case .tab:
            sheets = []
            self[path: selectedTab] = []
        case .all:
            sheets = []
            for index in tabs.indices { tabs[index].path = [] }
            selectedTab = tabs.first { !$0.isHidden }?.id ?? selectedTab
        }
    }
}

extension NavigationState {
    /// The next state on the way to `target` that SwiftUI can show. SwiftUI can dismiss several
    /// sheets at once and can show any change of tabs and paths, but it presents only one sheet at
    /// a time, and none while another one is being dismissed.
    ///
    /// The server's `steps` do not help here: they lead from one revision to another, but what is
    /// shown may be ahead of any revision by the changes that the server has not answered yet.
    func step(toward target: NavigationState) -> NavigationState {
        let kept = zip(sheets, target.sheets).prefix { $0.id == $1.id && $0.style == $1.style }
            .count
        var next = self
        if sheets.count > kept {
            next.sheets.removeSubrange(kept...)
            return next
        }
        next = target
        next.sheets.removeSubrange(kept...)
        guard next == self, kept < target.sheets.count else { return next }
        next.sheets.append(target.sheets[kept])
        return next
    }
}
