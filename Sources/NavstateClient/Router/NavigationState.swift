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

    /// The id of the screen that the user sees: an entry, a sheet or a tab.
    var visible: String { self[path: active]?.last?.id ?? active }

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
            // Nothing can be put on a dialog.
            guard (container ?? active) != dialog?.id else { return }
            self[path: container ?? active]?.append(entry)
            if let container, tabs.contains(where: { $0.id == container }) {
                selectedTab = container
            }
        case .setPath(let path, let container): setPath(path, of: container)
        case .back: goBack()
        case .root(let scope): goToRoot(scope)
        case .present(let sheet, _): present(sheet)
        case .dismiss(let id, _, let force):
            guard let index = sheets.firstIndex(where: { $0.id == id }) else { return }
            guard force || !sheets[index...].contains(where: \.isLocked) else { return }
            sheets.removeSubrange(index...)
        case .press(_, let id): if dialog?.id == id { sheets.removeLast() }
        case .setRoot(let root):
            guard let index = tabs.firstIndex(where: { $0.id == root.id }) else { return }
            tabs[index].root = root
        case .select(let tab):
            if tabs.contains(where: { $0.id == tab }) { selectedTab = tab }
        case .command: break
        }
    }

    /// Presents a sheet. An existing sheet with the same tag is replaced, unless it shows the same
    /// screen; then it stays.
    private mutating func present(_ sheet: Sheet) {
        guard dialog == nil || dialog?.tag == sheet.tag && sheet.tag != nil else { return }
        if let tag = sheet.tag, let index = sheets.firstIndex(where: { $0.tag == tag }) {
            let old = sheets[index]
            guard !sheets[(index + 1)...].contains(where: \.isLocked) else { return }
            let isSame =
                old.route == sheet.route && old.params == sheet.params && old.style == sheet.style
            sheets.removeSubrange((isSame ? index + 1 : index)...)
            if isSame { return }
        }
        sheets.append(sheet)
    }

    /// The dialog on top, if there is one.
    var dialog: Sheet? { sheets.last.flatMap { $0.isDialog ? $0 : nil } }

    /// Replaces a path. The sheets that removed entries have presented go, with all above them. The
    /// server refuses to remove anything that is locked.
    private mutating func setPath(_ path: [Entry], of container: String) {
        let kept = Set(path.map(\.id))
        let removed = (self[path: container] ?? []).filter { !kept.contains($0.id) }
        let gone = Set(removed.map(\.id))
        let first = sheets.firstIndex { gone.contains($0.presentedBy) } ?? sheets.endIndex
        let isLocked = removed.contains(where: \.isLocked)
        guard !isLocked, !sheets[first...].contains(where: \.isLocked) else { return }
        self[path: container] = path
        sheets.removeSubrange(first...)
    }

    private mutating func goBack() {
        if let entry = self[path: active]?.last {
            guard !entry.isLocked else { return }
            self[path: active]?.removeLast()
        } else if let sheet = sheets.last, sheet.isDismissible {
            sheets.removeLast()
        }
    }

    private mutating func goToRoot(_ scope: RootScope) {
        switch scope {
        case .path: setPath([], of: active)
        case .tab:
            let path = self[path: selectedTab] ?? []
            guard !sheets.contains(where: \.isLocked), !path.contains(where: \.isLocked) else {
                return
            }
            sheets = []
            self[path: selectedTab] = []
        case .all:
            let isLocked = tabs.contains { $0.path.contains(where: \.isLocked) }
            guard !isLocked, !sheets.contains(where: \.isLocked) else { return }
            sheets = []
            for index in tabs.indices {
                tabs[index].path = []
                tabs[index].root = nil
            }
            selectedTab = tabs.first { !$0.isHidden }?.id ?? selectedTab
        }
    }
}

extension Sheet {
    /// Whether only a command that forces it removes the sheet with its path.
    var isLocked: Bool { !isDismissible || path.contains(where: \.isLocked) }
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
