/// What `back` does on the root of a tab when no sheet is presented.
package enum TabBack: String, CaseIterable, Sendable {
    /// Nothing.
    case stay = "none"
    /// Selects the first tab.
    case first
    /// Selects the tab that was selected before.
    case history
}
