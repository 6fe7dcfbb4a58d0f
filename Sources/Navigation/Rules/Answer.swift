public import JSON

/// The reason why a valid command changed nothing.
public enum NoChange: String, Sendable {
    /// The path is empty already.
    case atRoot = "at-root"
    /// No sheet is presented.
    case noSheet = "no-sheet"
    /// The state is the one asked for.
    case alreadyThere = "already-there"
    /// The entry or sheet is shown with the same params.
    case sameEntry = "same-entry"
    /// The tab is selected and at its root.
    case alreadySelected = "already-selected"
    /// The top sheet says `dismissible: false`.
    case sheetLocked = "sheet-locked"
    /// The top entry says `locked: true`.
    case entryLocked = "entry-locked"
    case nothingToUndo = "nothing-to-undo"
    case nothingToRedo = "nothing-to-redo"
    /// A guard holds the command back, as it did before.
    case held
}

/// The members of a response besides the session.
public struct Answer: Equatable, Sendable {
    /// The reason why nothing changed, or nil if something did.
    public var reason: NoChange?
    /// The ids of new entries and sheets.
    public var added: [EntryID] = []
    /// The ids of entries and sheets that no longer exist.
    public var removed: [EntryID] = []
    /// The members that only some commands have.
    public var extra: Extra = .none
    /// Parts that few answers have.
    private var rare: Rare?

    /// The parts of guards and dialogs in a command. They are behind a reference, as an answer is
    /// copied from part to part.
    private final class Rare: Sendable {
        let guarded: Guarded
        let pressed: [(dialog: EntryID, button: MarkName)]

        init(_ guarded: Guarded, _ pressed: [(dialog: EntryID, button: MarkName)]) {
            (self.guarded, self.pressed) = (guarded, pressed)
        }
    }

    /// Whether neither guards nor dialogs had to do with the command.
    public var isPlain: Bool { rare == nil }
    /// The effects of guards on the command.
    public var guarded: Guarded {
        get { rare?.guarded ?? .none }
        set { rare = Rare(newValue, pressed) }
    }
    /// The buttons that were pressed, by dialog.
    public var pressed: [(dialog: EntryID, button: MarkName)] {
        get { rare?.pressed ?? [] }
        set { rare = Rare(guarded, newValue) }
    }

    /// The members that only some commands have.
    public enum Extra: Equatable, Sendable {
        case none
        /// Of `back`: the number of entries and sheets that were removed, and, if it went from tab
        /// to tab, the tab that it ended on.
        case popped(Int, selected: TabID?)
        /// Of `undo`: the number of steps.
        case undone(Int)
        /// Of `redo`: the number of steps.
        case redone(Int)
        /// Of `batch`: the answer of each command.
        case results([Answer])
    }

    /// Whether the command changed something.
    public var changed: Bool { reason == nil }
}

extension Answer {
    // It delegates to the memberwise initializer, since one that sets the members copies them all.
    public init(added: [EntryID] = [], removed: [EntryID] = []) {
        self.init(reason: nil, added: added, removed: removed, extra: .none, rare: nil)
    }

    public static func == (a: Answer, b: Answer) -> Bool {
        a.reason == b.reason && a.added == b.added && a.removed == b.removed && a.extra == b.extra
            && a.guarded == b.guarded && a.pressed.elementsEqual(b.pressed, by: ==)
    }

    /// The effects of guards on a command: the commands held back, resumed, refused and given up,
    /// and the screens removed.
    public struct Guarded: Equatable, Sendable {
        /// The guard that holds the command back.
        public var held: GuardName?
        /// The pending command that was resumed, with its name.
        public var resumed: JSONObject?
        /// Why the resumed command was refused.
        public var refused: RejectionError?
        /// The pending command that will not be resumed any more, with its name.
        public var givenUp: JSONObject?
        /// The screens that `undo` and `redo` did not bring back, because their guard fails.
        public var dropped: [Dropped] = []

        /// Guards have done nothing.
        public static var none: Guarded { Guarded() }

        /// Whether guards have done nothing.
        var isNone: Bool {
            held == nil && resumed == nil && refused == nil && givenUp == nil && dropped.isEmpty
        }
    }
}
