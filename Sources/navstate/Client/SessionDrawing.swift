internal import Bytes
package import JSON

/// A session as its screen, for people: sheets over the path of the selected tab over the tab bar.
///
///     session kiosk-1, revision 5
///     ┌──────────────────────────────────────────────┐
///     │  sheet  e2  compose  ← visible               │
///     ├──────────────────────────────────────────────┤
///     │  path   e1  contact  {"id":42}               │
///     │  root       chats                            │
///     ├───────────┬──────────────────────────────────┤
///     │  chats ●  │  settings                        │
///     └───────────┴──────────────────────────────────┘
///
/// A dialog has a row for each of its buttons. Members that the document does not have are left
/// out.
package struct SessionDrawing {
    private let session: JSON
    private let columnsMax: Int
    private let paint: Paint

    /// - Parameters:
    ///   - session: the JSON of the session.
    ///   - columns: the width of the terminal.
    package init(_ session: JSON, columns: Int, paint: Paint) {
        self.session = session
        columnsMax = max(Self.columnsMin, columns)
        self.paint = paint
    }

    /// A narrower frame has no room for a row.
    private static let columnsMin = 24
    /// A frame around short rows is at least this wide inside, if the terminal is.
    private static let innerMin = 46

    /// The drawing, with its line ends.
    package var text: String {
        let screens = screens
        let bar = bar
        let rows = screens.flatMap { $0 }.map(\.columns) + (bar.isEmpty ? [] : [barColumns(bar)])
        let inner = min(max(rows.max() ?? 0, Self.innerMin), columnsMax - 2)
        var lines = [header, "┌" + String(repeating: "─", count: inner) + "┐"]
        for (index, screen) in screens.enumerated() {
            if index > 0 { lines.append("├" + String(repeating: "─", count: inner) + "┤") }
            lines += screen.map { "│" + $0.text(columns: inner, paint) + "│" }
        }
        lines += barLines(bar, inner: inner)
        return (lines + facts).map { $0 + "\n" }.joined()
    }

    private var header: String {
        let id = Printable.text(session["id"]?.string ?? "")
        let revision = session["revision"]?.integer.map { ", revision \($0)" } ?? ""
        let app = session["app"]?.string.map { ", app \(Printable.text($0))" } ?? ""
        let text = Printable.clipped("session \(id)\(revision)\(app)", to: columnsMax)
        return paint.text(text, .strong)
    }

    // MARK: - Screens

    /// The rows of each sheet, from the top one to the lowest, and those of the selected tab.
    private var screens: [[DrawnRow]] {
        let tabs = session["tabs"]?.items ?? []
        let selected = tabs.first { $0["id"] == session["selectedTab"] }
        var screens = (session["sheets"]?.items ?? []).reversed().map { sheet in
            sheet["buttons"] == nil
                ? path(of: sheet) + [row(kind(of: sheet), of: sheet)]
                : dialog(sheet)
        }
        if let selected { screens.append(path(of: selected) + [root(of: selected)]) }
        let rows = screens.joined()
        let (kinds, ids) = (rows.map(\.kindColumns).max() ?? 0, rows.map(\.idColumns).max() ?? 0)
        return screens.map { $0.map { $0.aligned(kinds: kinds, ids: ids) } }
    }

    private func kind(of sheet: JSON) -> String {
        switch sheet["style"]?.string {
        case "fullScreenCover"?: "cover"
        case "confirmationDialog"?: "dialog"
        case let style?: style
        case nil: "sheet"
        }
    }

    /// An alert or a confirmation: its title, its message, and a row for each button.
    private func dialog(_ sheet: JSON) -> [DrawnRow] {
        var rows = [row(kind(of: sheet), of: sheet)]
        if let message = sheet["message"]?.string {
            rows.append(DrawnRow(kind: "text", route: message))
        }
        for button in sheet["buttons"]?.items ?? [] {
            rows.append(
                DrawnRow(
                    kind: "button", id: button["id"]?.string ?? "",
                    route: button["title"]?.string ?? "", notes: button["role"]?.string ?? ""))
        }
        return rows
    }

    private func path(of container: JSON) -> [DrawnRow] {
        (container["path"]?.items ?? []).reversed().map { row("path", of: $0) }
    }

    private func row(_ kind: String, of entry: JSON) -> DrawnRow {
        let isVisible = entry["id"] != nil && entry["id"] == session["visible"]?["entry"]
        return DrawnRow(
            kind: kind, id: entry["id"]?.string ?? "", route: entry["route"]?.string ?? "",
            notes: notes(of: entry), isVisible: isVisible)
    }

    private func notes(of entry: JSON) -> String {
        var notes: [String] = []
        if let title = entry["title"]?.string { notes.append("“\(title)”") }
        if let params = entry["params"], !params.members.isEmpty { notes.append(params.text) }
        for name in ["mark", "tag", "anchor"] {
            if let text = entry[name]?.string { notes.append("\(name) \(text)") }
        }
        let isLocked = entry["dismissible"] == .bool(false) || entry["locked"] == .bool(true)
        if isLocked { notes.append("locked") }
        if let time = entry["expiresAt"]?.string { notes.append("until \(time)") }
        return notes.joined(separator: ", ")
    }

    private func root(of tab: JSON) -> DrawnRow {
        let visible = session["visible"]
        let isEmpty = tab["path"]?.items.isEmpty ?? true
        let isVisible = visible?["container"] == tab["id"] && isEmpty
        let root = isVisible ? visible : tab["root"]
        return DrawnRow(
            kind: "root", route: root?["route"]?.string ?? tab["id"]?.string ?? "",
            notes: root.map(notes) ?? "", isVisible: isVisible)
    }

    // MARK: - Tab bar

    private struct Cell {
        var text: String
        var isSelected: Bool
        var columns: Int { Printable.columns(of: text) + 4 }
    }

    private var bar: [Cell] {
        (session["tabs"]?.items ?? []).map { tab in
            let isSelected = tab["id"] != nil && tab["id"] == session["selectedTab"]
            var text = tab["id"]?.string ?? ""
            if isSelected { text += " ●" }
            if let badge = tab["badge"] { text += " (\(badge.plainText))" }
            if tab["hidden"] == .bool(true) { text += " hidden" }
            return Cell(text: Printable.text(text), isSelected: isSelected)
        }
    }

    private func barColumns(_ bar: [Cell]) -> Int {
        bar.reduce(bar.count - 1) { $0 + $1.columns }
    }

    /// The tab bar, or a row for each tab if they do not fit side by side.
    private func barLines(_ bar: [Cell], inner: Int) -> [String] {
        let rest = inner - barColumns(bar)
        guard !bar.isEmpty, rest >= 0 else {
            let rule = String(repeating: "─", count: inner)
            let rows = bar.map { "│" + text(of: $0, columns: inner) + "│" }
            return (rows.isEmpty ? [] : ["├\(rule)┤"]) + rows + ["└\(rule)┘"]
        }
        let widths = bar.enumerated().map { index, cell in
            cell.columns + (index == bar.count - 1 ? rest : 0)
        }
        let rules = widths.map { String(repeating: "─", count: $0) }
        let cells = zip(bar, widths).map { text(of: $0, columns: $1) }
        return [
            "├" + rules.joined(separator: "┬") + "┤", "│" + cells.joined(separator: "│") + "│",
            "└" + rules.joined(separator: "┴") + "┘",
        ]
    }

    private func text(of cell: Cell, columns: Int) -> String {
        let text = Printable.padded(cell.text, to: columns - 4)
        return "  \(paint.text(text, cell.isSelected ? .accent : .plain))  "
    }

    // MARK: - Below the frame

    /// Facts, labels, what is pending, and when the session expires: a line each.
    private var facts: [String] {
        var lines: [String] = []
        for name in ["labels", "facts"] {
            let members = session[name]?.members ?? []
            let texts = members.map { "\($0.key)=\($0.value.plainText)" }
            if !texts.isEmpty { lines.append("\(name)  \(texts.joined(separator: " "))") }
        }
        if let pending = session["pending"] {
            let command = pending["command"]?["command"]?.plainText ?? ""
            let guardName = pending["guard"]?.plainText ?? ""
            lines.append("pending  \(command), held back by the guard \(guardName)")
        }
        if let idle = session["idle"], let seconds = idle["seconds"]?.integer {
            let command = idle["command"]?["command"]?.plainText ?? ""
            lines.append("idle  \(command) after \(seconds) s")
        }
        if let time = session["expiresAt"]?.string { lines.append("expires  \(time)") }
        return lines.map { line in
            paint.text(Printable.clipped(Printable.text(line), to: columnsMax), .faint)
        }
    }
}

/// A row of the drawing: an entry of a path, a sheet, or the root of a tab.
private struct DrawnRow {
    var kind: String
    var id: String
    var route: String
    var notes: String
    var isVisible: Bool

    init(
        kind: String, id: String = "", route: String, notes: String = "", isVisible: Bool = false
    ) {
        self.kind = Printable.text(kind)
        self.id = Printable.text(id)
        self.route = Printable.text(route)
        self.notes = Printable.text(notes)
        self.isVisible = isVisible
    }

    private static let marker = "  ← visible"

    var kindColumns: Int { Printable.columns(of: kind) }
    var idColumns: Int { Printable.columns(of: id) }

    /// The row with spaces after its kind and its id.
    func aligned(kinds: Int, ids: Int) -> Self {
        var row = self
        row.kind = Printable.padded(kind, to: max(kinds, Self.kindMin))
        row.id = Printable.padded(id, to: ids)
        return row
    }

    private static let kindMin = 5

    private var start: String { "  \(kind)  \(id)" }

    private var pieces: [(text: String, style: Paint.Style)] {
        [
            (start, .faint), (idColumns > 0 ? "  " : "", .plain),
            (route, isVisible ? .strong : .plain), (isVisible ? Self.marker : "", .accent),
            (notes.isEmpty ? "" : "  \(notes)", .faint),
        ]
    }

    /// The columns that the row needs, with two after it.
    var columns: Int { pieces.reduce(2) { $0 + Printable.columns(of: $1.text) } }

    /// The row in exactly this many columns.
    func text(columns: Int, _ paint: Paint) -> String {
        var left = columns - 2
        var text = ""
        for piece in pieces where left > 0 {
            let shown = Printable.clipped(piece.text, to: left)
            left -= Printable.columns(of: shown)
            text += paint.text(shown, piece.style)
        }
        return text + String(repeating: " ", count: max(0, left) + 2)
    }
}
