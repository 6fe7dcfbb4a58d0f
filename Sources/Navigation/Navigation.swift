// # Navigation: the rules
//
// This target defines what a session may look like, which commands it accepts, and what they do,
// all as values. It knows nothing of HTTP, files, clocks or randomness: the time and new ids are
// passed in, and decisions are returned.
//
// A **session** is what SwiftUI developers know as `TabView`, `NavigationStack` and `.sheet`:
//
//     tabs    chats*  [contactList, contactDetail]      settings  []
//     sheets  compose []   ← the top one is the active container
//
// A **container** is a tab or a sheet. It shows its root, or the top of the path that was pushed on
// it; the root itself is not on the path. The *active* container is the top sheet if there is one,
// otherwise the selected tab.
//
// Every change goes through the same steps:
//
//     Session ──> SessionEditor ── carryOut(Command) ──> Answer
//                               ── end / takeBack       ──> Session
//
// 1. `SessionEditor` owns the session and changes it in place. It may refuse a command
//    (`RejectionError`), and then the session is rolled back. A command without an effect is not an
//    error: its answer has a `NoChange` reason.
// 2. A step is a `Change`, a plain fact. To apply one cannot fail, and returns the change that
//    undoes it. Whatever is tried and does not stay is undone so: refused commands, dry runs, what
//    a guard holds back.
// 3. Every change of a session raises the revision by exactly one, also a batch or an undo.
// 4. The ids of entries and sheets come from a counter of the session that only rises. Undo does
//    not reset it.
// 5. `added` and `removed` compare the ids before and after, in the order tabs, path, sheets. They
//    follow directly from the changes if at most one of them pushes or pops.
// 6. A session that is bound to an `App` contains only what the app declares. After the app has
//    been replaced, `reconcile` drops what it no longer allows, before the next command.
// 7. The undo and redo stacks contain numbers of revisions (`UndoStacks`). Their states are read
//    from the stored records, so no second copy is kept.
// 8. Nothing is ever under a guard that fails. A command that would bring something there is
//    held back, and anything that later falls under it, through facts, undo or a new app version,
//    is removed. Facts and the pending command are not part of the navigation state, so undo
//    leaves them alone.
//
// Example: while the sheet `compose` is presented over `chats`, `back` finds the sheet's path empty
// and performs `.dismissed(keeping: 0)`. The answer has `popped: 1` and `removed: ["e7"]`.
//
// Read next: `NavigationState`, `Command`, `Change`, `SessionEditor` and its extensions,
// `Holding.swift`, then `App`, `LinkPattern` and `Reconcile`.
// `NavigationState+Steps` computes how a user interface gets from one state to another.
