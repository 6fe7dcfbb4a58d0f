public import Foundation

// Each command as a value. `RemoteSession+Commands` has each as a function of a session with the
// same arguments.

extension Nav.Command {
    /// Pushes a screen onto the path of the active container, or of the tab or sheet `container`.
    /// If `mode` is nil, the mode of the route is used, or `push` if it has none.
    public static func navigate(
        to destination: Nav.Destination, in container: String? = nil, mode: NavigationMode? = nil,
        sheets: SheetHandling = .keep
    ) -> Nav.Command {
        Nav.Command(
            "navigate", screen: destination,
            ["in": container, "mode": mode, "sheets": sheets.unless(.keep)])
    }

    /// Pushes a screen onto the path of a tab without selecting it. If `mode` is nil, the mode of
    /// the route is used, or `push` if it has none.
    public static func navigate(
        to destination: Nav.Destination, inBackground tab: String, mode: NavigationMode? = nil
    ) -> Nav.Command {
        Nav.Command("navigate", screen: destination, ["in": tab, "mode": mode, "select": false])
    }

    /// Goes back `count` steps. With `withinPath`, it stays in the current path: no sheet is
    /// dismissed and no other tab is selected. A locked screen stops it, unless `force` is set.
    public static func back(
        count: Int = 1, withinPath: Bool = false, force: Bool = false
    ) -> Nav.Command {
        Nav.Command(
            "back",
            [
                "count": count.unless(1), "within": withinPath ? "path" : nil,
                "force": force.unless(false),
            ])
    }

    /// Goes back to a screen, or to the one below it if `inclusive` is true. With `force`, even
    /// locked screens are removed.
    public static func back(
        to target: BackTarget, inclusive: Bool = false, force: Bool = false
    ) -> Nav.Command {
        Nav.Command(
            "back",
            ["to": target, "inclusive": inclusive.unless(false), "force": force.unless(false)])
    }

    /// Goes back to the root.
    public static func root(
        _ scope: RootScope = .tab, sheets: SheetHandling = .dismiss
    ) -> Nav.Command {
        Nav.Command("root", ["scope": scope.unless(.tab), "sheets": sheets.unless(.dismiss)])
    }

    /// Presents a screen over everything else. If `style` is nil, the style of the route is used,
    /// or `sheet` if it has none. `path` lists the screens that are pushed onto the sheet from the
    /// start.
    public static func present(
        _ destination: Nav.Destination, style: SheetStyle? = nil,
        options: PresentationOptions = .standard, path: [Nav.Destination] = []
    ) -> Nav.Command {
        var screen = destination
        screen.isLocked = nil
        let isDismissible = options.isDismissible && destination.isLocked != true
        return Nav.Command(
            "present", screen: screen,
            [
                "style": style, "tag": options.tag, "detents": options.detents.unless([]),
                "dismissible": isDismissible.unless(true), "anchor": options.anchor,
                "ttlSeconds": options.ttlSeconds, "path": path.unless([]),
            ])
    }

    /// Presents an alert or a confirmation dialog, on which nothing else can be put. A dialog with
    /// the same tag is replaced. After `ttlSeconds`, it goes without an answer.
    public static func present(
        _ dialog: Dialog, tag: String? = nil, ttlSeconds: Int? = nil
    ) -> Nav.Command {
        var command = Nav.Command("present", members: dialog.members)
        command.members.add(["tag": tag, "ttlSeconds": ttlSeconds])
        return command
    }

    /// Presses a button of the dialog with this id. If another dialog is open by then, the command
    /// is refused.
    public static func press(_ button: String, of dialog: String) -> Nav.Command {
        Nav.Command("dismiss", ["sheet": dialog, "button": button])
    }

    /// Dismisses a sheet and all sheets above it. The presenter of the sheet gets the result.
    /// With `force`, even sheets that are not dismissible are dismissed.
    public static func dismiss(
        _ target: DismissTarget = .top, result: JSONValue? = nil, force: Bool = false
    ) -> Nav.Command {
        var command = Nav.Command("dismiss", ["result": result, "force": force.unless(false)])
        switch target {
        case .top: break
        case .sheet(let id): command.members["sheet"] = .string(id)
        case .tag(let tag): command.members["tag"] = .string(tag)
        case .all: command.members["all"] = true
        }
        return command
    }

    /// Selects a tab. Selecting the selected tab pops it to its root, unless `popsToRoot` is false.
    public static func select(
        tab: String, popsToRoot: Bool = true, sheets: SheetHandling = .keep
    ) -> Nav.Command {
        Nav.Command(
            "select",
            [
                "tab": tab, "reselect": popsToRoot ? nil : "none",
                "sheets": sheets.unless(.keep),
            ])
    }

    /// Selects a tab, and replaces the params of its root. With `emptiesPath`, the root is visible
    /// then.
    public static func select(
        tab: String, params: JSONValue, emptiesPath: Bool = false, sheets: SheetHandling = .keep
    ) -> Nav.Command {
        Nav.Command(
            "select",
            [
                "tab": tab, "params": params, "root": emptiesPath.unless(false),
                "sheets": sheets.unless(.keep),
            ])
    }

    /// Opens a deep link of the app. If `mode` or `sheets` is nil, the link decides. If the link
    /// leads to one of several tabs, `tab` chooses it.
    public static func open(
        _ url: URL, mode: OpenMode? = nil, sheets: SheetHandling? = nil, tab: String? = nil
    ) -> Nav.Command {
        Nav.Command(
            "open", ["url": url.absoluteString, "mode": mode, "sheets": sheets, "tab": tab])
    }

    /// Replaces the whole path of a tab or a sheet. A destination with an id keeps its entry.
    public static func setPath(
        in container: String, _ path: [Nav.Destination], sheets: SheetHandling = .keep
    ) -> Nav.Command {
        Nav.Command("setPath", ["in": container, "path": path, "sheets": sheets.unless(.keep)])
    }

    /// Changes the params of an entry, a sheet or a root, by default those of the visible one. The
    /// params are applied as a merge patch (RFC 7396), or replace the old ones if `replaces` is
    /// true.
    public static func setParams(
        of entry: String? = nil, _ params: JSONValue, replaces: Bool = false
    ) -> Nav.Command {
        Nav.Command(
            "setParams", ["params": params, "entry": entry, "mode": replaces ? "replace" : nil])
    }

    /// Locks an entry or a sheet, or unlocks it, by default the visible one. Navigation does not
    /// remove a locked screen, unless it is forced.
    public static func setLocked(_ isLocked: Bool, of entry: String? = nil) -> Nav.Command {
        Nav.Command("setParams", ["entry": entry, "locked": isLocked])
    }

    /// Sets the badge of a tab; nil removes it.
    public static func setBadge(of tab: String, _ badge: Nav.Badge?) -> Nav.Command {
        Nav.Command("setBadge", ["tab": tab, "badge": badge?.json ?? JSONValue.null])
    }

    /// Sets facts. A value of null restores the app's default.
    public static func setFacts(_ facts: [String: JSONValue]) -> Nav.Command {
        Nav.Command("setFacts", ["facts": facts])
    }

    /// Reorders the tabs, hides those in `hidden` and shows the others. An argument that is nil
    /// changes nothing.
    public static func setTabs(order: [String]? = nil, hidden: [String]? = nil) -> Nav.Command {
        Nav.Command("setTabs", ["order": order, "hidden": hidden])
    }

    /// Carries out all the commands as one change, or none of them.
    public static func batch(_ commands: [Nav.Command]) -> Nav.Command {
        Nav.Command("batch", ["commands": commands])
    }

    /// Undoes the last changes.
    public static func undo(count: Int = 1) -> Nav.Command {
        Nav.Command("undo", ["count": count.unless(1)])
    }

    /// Redoes the changes that were undone last.
    public static func redo(count: Int = 1) -> Nav.Command {
        Nav.Command("redo", ["count": count.unless(1)])
    }

    private init(_ name: String, screen: Nav.Destination, _ members: JSONMembers) {
        self.init(name, members: screen.members())
        self.members.add(members)
    }
}
