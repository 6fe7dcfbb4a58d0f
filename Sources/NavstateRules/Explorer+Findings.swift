internal import Bytes
internal import JSON
internal import Navigation

// The faults of an app that do not depend on a state.

extension Explorer {
    /// The findings of the search and those that no search is needed for.
    mutating func allFindings() -> [Finding] {
        for name in app.routeOrder {
            if samples.params[name] == nil {
                report(
                    .unshowable, at: app.pointer(to: name),
                    "has a schema of params for which no value was found; give it examples")
            }
            if app.routes[name]?.result != nil, samples.results[name] == nil {
                report(
                    .unanswerable, at: app.pointer(to: name),
                    "has a schema of results for which no value was found; give it examples")
            }
        }
        let work = WorkBudget(units: 100 * WorkBudget.unitsMax)
        if let reached = try? ReachableScreens(of: app, work: work),
            let unguarded = try? ReachableScreens(of: app, obeysGuards: false, work: work)
        {
            findUnreached(reached, unguarded)
        }
        for index in links.indices { check(index) }
        return findings
    }

    private mutating func findUnreached(
        _ reached: ReachableScreens, _ unguarded: ReachableScreens
    ) {
        for tab in app.tabs where !reached.tabs.contains(tab.id) {
            guard let name = reached.blockedTabs[tab.id] else { continue }
            report(
                .guardNeverHolds, at: app.pointer(to: tab.id),
                "is under \(name), which contradicts another guard of the tab")
        }
        for route in app.routeOrder where !reached.routes.contains(route) {
            let pointer = app.pointer(to: route)
            if let name = reached.blockedRoutes[route] {
                findings.removeAll { $0.code == .heldForGood && $0.pointer == pointer }
                report(
                    .guardNeverHolds, at: pointer,
                    "is under \(name), whose facts contradict those of every place that it can be "
                        + "shown at")
            }
            let reason: String
            if unguarded.routes.contains(route) {
                reason = "it is only behind guard-never-holds"
            } else if let on = app.routes[route]?.on, app.routes[route]?.presentation.styles != [] {
                let names = on.map { $0.rawValue }.sorted { $0 < $1 }.joined(separator: " or ")
                reason = "it is presented on \(names) only, which nothing shows"
            } else {
                reason = listed(route)
            }
            report(.unreachableRoute, at: pointer, "is shown by no state: \(reason)")
        }
        for link in links {
            guard let name = reached.blockedLinks[link.rank] else { continue }
            findings.removeAll { $0.code == .heldForGood && $0.pointer == link.pointer }
            report(
                .guardNeverHolds, at: link.pointer,
                "is under \(name), which contradicts another guard of what the link shows")
        }
    }

    /// Why a route that nothing pushes is not pushed.
    private func listed(_ route: RouteName) -> String {
        if app.tabs.contains(where: { $0.routes.contains(route) }) {
            return "the tab that lists it cannot show it"
        }
        let parents = app.routeOrder.filter {
            $0 != route && app.routes[$0]?.routes?.contains(route) == true
        }
        guard let parent = parents.first else { return "no tab, sheet or pushed route lists it" }
        return "only \(parent) lists it, which no state shows"
    }

    private mutating func check(_ index: Int) {
        let link = links[index]
        guard let url = link.url else {
            return report(
                .linkElsewhere, at: link.pointer,
                link.example.map { "leads elsewhere: \($0) is opened by another link, or by none" }
                    ?? "matches no URL that was found")
        }
        let program = [Step(command: "open", body: JSON.object(["url": .string(url)]).text)]
        if !link.declared.isRedirect, !marks.opened.contains(index),
            let failure = failure(of: index, url)
        {
            report(
                .linkElsewhere, at: link.pointer,
                "does not show what it declares: \(url) \(failure)", program: program)
        }
        if let (route, beneath) = link.firstOutOfReach(app) {
            report(
                .linkNotByHand, at: link.pointer,
                "shows \(route) on \(beneath), where no user can bring it by hand", program: program
            )
        }
    }
}
