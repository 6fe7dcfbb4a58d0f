internal import Bytes
internal import JSON
internal import Navigation

/// The screens that users of an app can reach, and its faults. They are found by carrying out
/// commands from the start, breadth first: a state is the selected tab, the routes of the paths and
/// the sheets, and the facts.
public struct Exploration: Sendable {
    /// A command of the API with its body.
    public struct Step: Equatable, Sendable {
        /// The name of the command.
        public let command: String
        /// The body as JSON.
        public let body: String
    }

    /// A kind of mistake.
    public enum Code: String, CaseIterable, Sendable {
        /// No state shows the route.
        case unreachableRoute = "unreachable-route"
        /// No combination of facts shows a screen under the guard.
        case guardNeverHolds = "guard-never-holds"
        /// A command was held back, its facts were set, and what it asks for did not appear.
        case heldForGood = "held-for-good"
        /// Nothing leads away from a screen.
        case deadEnd = "dead-end"
        /// A link shows another place than it declares, or no URL opens it.
        case linkElsewhere = "link-elsewhere"
        /// A link leads to a path that no user can build by hand.
        case linkNotByHand = "link-not-by-hand"
        /// No value was found that the schema of a result accepts.
        case unanswerable
        /// The same for the params of a route.
        case unshowable
    }

    /// A mistake.
    public struct Finding: Equatable, Sendable {
        /// The kind of mistake.
        public let code: Code
        /// The JSON pointer to the route or the link in the app's document.
        public let pointer: String
        /// The fault, as a sentence without a full stop whose subject is the route or the link.
        public let detail: String
        /// The commands that lead to it from the start; empty if no state is needed to see it.
        public let program: [Step]
    }

    /// A screen that is looked for.
    public struct Goal: Sendable {
        /// The route of the screen.
        public var route: String
        /// The params of the screen, as JSON, or nil for any.
        public var params: String?
        /// Whether the commands are sent as a batch, which refuses what a guard holds back.
        public var isBatch: Bool

        /// A goal.
        public init(_ route: String, params: String? = nil, isBatch: Bool = false) {
            (self.route, self.params, self.isBatch) = (route, params, isBatch)
        }
    }

    /// The number of commands after which the search ended.
    public let depth: Int
    /// The number of states that were found.
    public let states: Int
    /// Whether the search ended because there are too many states.
    public let isCutOff: Bool
    /// The routes that the app declares, in their order.
    public let declared: [String]
    /// Those that were visible in some state.
    public let screens: [String]
    /// The patterns of the links, in their order, apart from redirects.
    public let links: [String]
    /// Those that showed what they declare.
    public let opened: [String]
    /// The findings.
    public let findings: [Finding]
    private let programs: [ExactString: [Step]]

    /// More states are not looked at, unless another number is given.
    public static let statesMax = 200_000

    /// Explores an app.
    ///
    /// - Parameters:
    ///   - depth: the number of commands after which the search ends.
    ///   - statesMax: more states are not looked at.
    public init(_ app: AppDefinition, depth: Int = 5, statesMax: Int = Self.statesMax) {
        var explorer = Explorer(app, to: nil, statesMax: statesMax)
        explorer.run(depth: depth)
        self.init(explorer, findings: explorer.allFindings())
    }

    /// Looks for the commands that lead to a screen.
    ///
    /// - Parameters:
    ///   - goal: the screen. The search ends when a state shows it, and reports no findings.
    ///   - statesMax: more states are not looked at.
    public init(_ app: AppDefinition, to goal: Goal, statesMax: Int = Self.statesMax) {
        var explorer = Explorer(app, to: goal, statesMax: statesMax)
        explorer.run(depth: 0)
        self.init(explorer, findings: [])
    }

    private init(_ explorer: Explorer, findings: [Finding]) {
        depth = explorer.depth
        (states, isCutOff) = (explorer.nodes.count, explorer.marks.isCutOff)
        declared = explorer.app.routeOrder.map { $0.rawValue }
        screens = declared.filter { explorer.programs[ExactString($0)] != nil }
        links = explorer.links.filter { !$0.declared.isRedirect }.map { $0.declared.pattern }
        opened = explorer.links.indices.filter {
            !explorer.links[$0].declared.isRedirect && explorer.marks.opened.contains($0)
        }.map { explorer.links[$0].declared.pattern }
        self.findings = findings
        programs = explorer.programs
    }

    /// The shortest program that was found after which a route is visible. Empty if it is at the
    /// start; nil if none was found.
    public func program(to screen: String) -> [Step]? { programs[ExactString(screen)] }
}
