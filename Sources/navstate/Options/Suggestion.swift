internal import JSON
internal import Navigation

/// Suggestions for misspelled names on the command line.
enum Suggestion {
    /// ` (did you mean …?)` with the most similar name; empty if none is similar.
    static func text(for name: String, among names: [String]) -> String {
        Spelling.proposal(for: name, among: names, work: WorkBudget())
    }
}
