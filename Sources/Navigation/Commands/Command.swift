package import JSON

/// The commands by the names that they have in URLs and batches.
package enum CommandName: String, CaseIterable, Sendable {
    case navigate, back, root, present, dismiss, select, open
    case setPath, setParams, setBadge, batch, undo, redo
}

/// What a client may ask of a session. The rules are in the `Decide…` files.
package enum Command: Equatable, Sendable {
    case navigate(Navigate)
    case back(Back)
    case root(RootScope)
    case present(Present)
    case dismiss(Dismiss)
    case select(Select)
    case open(Open)
    case setPath(SetPath)
    case setParams(SetParams)
    case setBadge(SetBadge)
    case batch([Command])
    case undo(count: Int)
    case redo(count: Int)
}

/// A container as a client names it: `active`, or a tab's or a sheet's id.
package enum Target: Equatable, Sendable {
    case active
    case named(String)
}

/// What becomes of the sheets that lie over a command's target.
package enum SheetHandling: String, CaseIterable, Sendable {
    case keep, dismiss, reject
}

/// How a route joins the path.
package enum NavigationMode: String, CaseIterable, Sendable {
    case push, single, popTo, toFront, replace, reset
}

package enum RootScope: String, CaseIterable, Sendable {
    case tab, path, all
}

package struct Navigate: Equatable, Sendable {
    package var route: RouteName
    package var params = JSONObject()
    package var target = Target.active
    /// nil: the route's own.
    package var mode: NavigationMode?
    package var sheets = SheetHandling.keep

    package init(route: RouteName) { self.route = route }
}

package enum Back: Equatable, Sendable {
    package enum Within: String, CaseIterable, Sendable { case any, path }
    package enum Goal: Equatable, Sendable {
        /// An entry's or a sheet's id.
        case entry(String)
        case route(RouteName)
    }

    case steps(Int, within: Within)
    case to(Goal, inclusive: Bool, within: Within)
}

package struct Present: Equatable, Sendable {
    package var route: RouteName
    package var params = JSONObject()
    /// nil: the route's own.
    package var style: SheetStyle?
    package var tag: ExactString?
    package var detents: [ExactString] = []
    package var dismissible = true
    package var path: [PathItem] = []

    package init(route: RouteName) { self.route = route }
}

/// An entry as a client asks for it.
package struct PathItem: Equatable, Sendable {
    package var route: RouteName
    package var params = JSONObject()
    /// The id of the entry that this is; nil: a new one.
    package var id: String?

    package init(route: RouteName) { self.route = route }
}

package struct Dismiss: Equatable, Sendable {
    package enum Which: Equatable, Sendable {
        case top, all
        case sheet(String)
        case tag(ExactString)
    }

    package var which = Which.top
    package var force = false

    package init() {}
}

package struct Select: Equatable, Sendable {
    package enum Reselect: String, CaseIterable, Sendable { case popToRoot, none }

    package var tab: String
    package var reselect = Reselect.popToRoot
    package var sheets = SheetHandling.keep

    package init(tab: String) { self.tab = tab }
}

package struct Open: Equatable, Sendable {
    package var url: String
    package var sheets = SheetHandling.dismiss

    package init(url: String) { self.url = url }
}

package struct SetPath: Equatable, Sendable {
    package var target: Target
    package var path: [PathItem]

    package init(target: Target, path: [PathItem]) {
        self.target = target
        self.path = path
    }
}

package struct SetParams: Equatable, Sendable {
    package enum Mode: String, CaseIterable, Sendable { case merge, replace }

    /// nil: the visible entry.
    package var entry: String?
    package var params: JSONObject
    package var mode = Mode.merge

    package init(params: JSONObject) { self.params = params }
}

package struct SetBadge: Equatable, Sendable {
    package var tab: String
    package var badge: Badge?

    package init(tab: String, badge: Badge?) {
        self.tab = tab
        self.badge = badge
    }
}
