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
/// Members that the document does not have are left out.
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
            let kind = sheet["style"]?.string == "sheet" ? "sheet" : "cover"
            return path(of: sheet) + [row(kind, of: sheet)]
        }
        if let selected { screens.append(path(of: selected) + [root(of: selected)]) }
        let width = screens.joined().map(\.idColumns).max() ?? 0
        return screens.map { $0.map { $0.withIDs(columns: width) } }
    }

    private func path(of container: JSON) -> [DrawnRow] {
        (container["path"]?.items ?? []).reversed().map { row("path", of: $0) }
    }

    private func row(_ kind: String, of entry: JSON) -> DrawnRow {
        let isVisible = entry["id"] != nil && entry["id"] == session["visible"]?["entry"]
        var notes: [String] = []
        if let params = entry["params"], !params.members.isEmpty { notes.append(params.text) }
        if let mark = entry["mark"]?.string { notes.append("mark \(mark)") }
        if let tag = entry["tag"]?.string { notes.append("tag \(tag)") }
        if entry["dismissible"] == .bool(false) { notes.append("locked") }
        return DrawnRow(
            kind: kind, id: entry["id"]?.string ?? "", route: entry["route"]?.string ?? "",
            notes: notes.joined(separator: ", "), isVisible: isVisible)
    }

    private func root(of tab: JSON) -> DrawnRow {
        let visible = session["visible"]
        let isVisible = visible?["container"] == tab["id"] && visible?["entry"] == nil
        let route = isVisible ? visible?["route"]?.string : nil
        return DrawnRow(
            kind: "root", id: "", route: route ?? tab["id"]?.string ?? "", notes: "",
            isVisible: isVisible)
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

    init(kind: String, id: String, route: String, notes: String, isVisible: Bool) {
        self.kind = kind
        self.id = Printable.text(id)
        self.route = Printable.text(route)
        self.notes = Printable.text(notes)
        self.isVisible = isVisible
    }

    private static let marker = "  ← visible"

    var idColumns: Int { Printable.columns(of: id) }

    /// The row with spaces after its id.
    func withIDs(columns: Int) -> Self {
        var row = self
        row.id = Printable.padded(id, to: columns)
        return row
    }

    private var start: String { "  " + Printable.padded(kind, to: 5) + "  \(id)" }

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
