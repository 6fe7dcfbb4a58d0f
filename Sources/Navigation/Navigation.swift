// # Navigation: the rule book
//
// What a session may look like, what may be asked of it and what comes of it, as values. Nothing
// here knows HTTP, files, clocks or randomness: the time and new ids come in, decisions go out.
//
// A **session** is what SwiftUI developers know from `TabView`, `NavigationStack` and `.sheet`:
//
//     tabs    chats*  [contactList, contactDetail]      settings  []
//     sheets  compose []   ← the top one is the active container
//
// A **container** is a tab or a sheet: it shows its root, or the top of the path that was pushed
// on it. The *active* container is the top sheet if there is one, else the selected tab. The root
// itself is never in the path.
//
// A change takes one way:
//
//     Command ── decide ──> Decision ── apply ──> Session
//       a wish               an Event or nothing, with the Answer
//
// 1. `decide` may refuse (`RejectionError`) and changes nothing. A command that has nothing to do is
//    not an error: its answer carries the `NoChange` reason.
// 2. `apply` cannot fail. An event is a list of plain facts (`Change`), so an event that was once
//    accepted can be replayed under rules that became stricter since.
// 3. Every event raises the revision by exactly one, also that of a batch or an undo.
// 4. Ids of entries and sheets come from one counter of the session that only rises; undo does not
//    turn it back.
// 5. `added` and `removed` are found by comparing the ids before and after, in the order tabs,
//    path, sheets; they are not kept by hand in each rule.
// 6. A session that is bound to an `App` holds only what the app declares. When the app was
//    replaced meanwhile, `reconcile` drops what no longer fits before the next command.
// 7. Undo moves between revisions: each revision names the revision whose navigation it shows (its
//    `cursor`), so that a chain of records is the undo stack, and no second copy of it is kept.
//
// Worked example: with `compose` up over `chats`, `back` finds the sheet's path empty, decides
// `.dismissed(keeping: 0)`, and the answer says `popped: 1` and `removed: ["e7"]`.
//
// Read on in: `NavigationState`, `Command`, `Change`, `StateEditor`, then the rules in `Decide…`, then
// `App`, `LinkPattern` and `Reconcile`.
