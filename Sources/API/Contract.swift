internal import HTTP
internal import JSON

/// The contract that the service speaks, as `GET /v1` answers it.
public enum Contract {
    /// The version of `openapi.yaml` and `docs/contract.md`. The second number grows when something
    /// is added; the first stays 1 for everything under `/v1`.
    public static let version = "1.2"

    /// The parts of the contract that were added to version 1.0. A client finds out from their
    /// names what the server can do; it ignores names that it does not know.
    public enum Feature: String, CaseIterable, Sendable {
        /// Apps and their schemas have notes: `description`, members that begin with `x-`, and
        /// keywords that check nothing.
        case annotations
        /// Schemas have `if`, `dependentRequired`, `contains` and `unevaluatedProperties`.
        case conditionals
        /// Creation takes `copyOf`.
        case copyOf
        /// The styles `alert` and `confirmationDialog`, and `dismiss` with a `button`.
        case dialogs
        /// Routes list the routes that may be pushed on them, and those that they may cover.
        case edges
        /// Apps declare facts and guards; the command `setFacts`.
        case facts
        /// Routes, tabs and links have lists of guards, and what a guard offers may be guarded.
        case guardChains
        /// Routes declare which params tell two of their screens apart.
        case identity
        /// Apps and sessions have a command for when nobody changes them, `idle`; lists and
        /// `POST /v1/commands` select sessions by `visible` and `idle`.
        case idle
        /// The changes of sessions when their app is stored: dry runs and `…/impact` count them.
        case impact
        /// Tokens that may send some commands and show some routes only.
        case limitedTokens
        /// Links declare how they are opened, and creation takes the URL of one.
        case linkPlaces
        /// Locked entries and sheets, `force`, and sheets that go with their presenters.
        case locks
        /// `POST /v1/commands` carries a command out on many sessions.
        case manySessions
        /// Entries have a `mark`, and `back` goes to it.
        case marks
        /// Apps declare where links lead that lead nowhere else.
        case notFound
        /// Patterns of links have captures in hosts, queries and fragments, and links share shapes.
        case patterns
        /// A link of an app may lead to another one.
        case redirects
        /// A route may replace others, whose screens become its own.
        case renamedRoutes
        /// Routes declare the `result` of their sheets, and `…/sheets/{sheet}` reads it.
        case results
        /// The root of a tab is an entry with params and a mark.
        case roots
        /// `present` takes `ttlSeconds`.
        case sheetTime
        /// `…/signal`, and streams with `?signals=true`.
        case signals
        /// `…/steps`, and streams with `?steps=true`.
        case steps
        /// The styles `popover` and `inspector`.
        case styles
        /// `back` on the root of a tab may select another tab.
        case tabBack
        /// The command `setTabs`.
        case tabOrder
        /// Apps declare templates, which creation takes.
        case templates
        /// Titles with params, and `backTitle`.
        case titles
        /// `…/watchers` and `…/shown`.
        case watchers
    }
}

/// Reads the contract.
struct ContractOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// The version of the contract, the version of the program, and the features.
    func read() throws(OperationError) -> Reply {
        try context.refuseQuery()
        try context.checkAccept()
        let features = Contract.Feature.allCases.map { JSON.string($0.rawValue) }
        return Reply([
            "contract": .string(Contract.version),
            "version": .string(context.service.environment.options.version),
            "features": .array(features),
        ])
    }
}
