internal import JSON

// Whether a screen is the same as another one of its route: by the members of the params that the
// route names as its identity, if it names any.

extension SessionEditor {
    /// Whether a screen that is asked for is one that is there.
    ///
    /// - Parameter byRoute: whether the route alone decides if it declares no identity; otherwise
    ///   all params do.
    func isSame(
        _ screen: Screen, as wanted: AdmittedScreen, byRoute: Bool = false
    ) throws(RejectionError) -> Bool {
        guard screen.route == wanted.route else { return false }
        guard let identity = rules.app?.routes[wanted.route]?.identity else {
            if byRoute { return true }
            return try isSame(wanted.params, screen.params)
        }
        return try isSame(screen.params, wanted.params, by: identity)
    }

    private func isSame(
        _ a: Params, _ b: Params, by identity: [ParamsPath]
    ) throws(RejectionError) -> Bool {
        if identity.isEmpty || a.text == b.text { return true }
        try within { () throws(WorkBudgetError) in
            try work.spend(.parsing(bytes: a.text.count + b.text.count))
        }
        let (a, b) = (a.object, b.object)
        return identity.allSatisfy { $0.value(in: a) == $0.value(in: b) }
    }
}
