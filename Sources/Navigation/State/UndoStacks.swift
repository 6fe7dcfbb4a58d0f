/// The undo and redo stacks of a session.
///
/// A step on a stack is the number of the revision whose record has that navigation state. The
/// current state is on neither stack; the newest record has it. To undo, a caller reads the record
/// that the stack names, and nothing has to be computed from other revisions.
///
///     a change that is a step    pushes the current revision on the undo stack, and clears the
///                                redo stack
///     any other change           clears the redo stack
///     undo by n                  moves the current revision and the top n - 1 steps of the undo
///                                stack to the redo stack, and removes the step below them,
///                                whose state the new record has
///     redo by n                  does the same with the stacks exchanged
public struct UndoStacks: Equatable, Sendable {
    /// The maximum number of steps on each stack.
    public static let stepsMax = 32

    /// The revisions that undo leads to.
    public var undo = RevisionStack()
    /// The revisions that redo leads to.
    public var redo = RevisionStack()

    public init() {}

    /// The effect of a change on the stacks.
    public enum Move: Equatable, Sendable {
        /// A new step, which undo can revert.
        case forward
        /// A change that undo does not revert: of settings, or by reconciliation.
        case aside
        /// Undo of a number of steps; `left` more can be undone.
        case undo(count: Int, left: Int)
        /// Redo of a number of steps; `left` more can be redone.
        case redo(count: Int, left: Int)
    }

    /// The stacks of a session in which every change was a step: the undo stack has the revisions
    /// directly before the newest one, and the redo stack is empty.
    ///
    /// - Parameter revision: the newest revision of the session.
    public init(steps: Int, before revision: Int) {
        let count = max(0, min(steps, Self.stepsMax, revision - 1))
        undo = RevisionStack(count: count, below: revision)
    }

    /// Moves the stacks for a change.
    ///
    /// - Parameter revision: the current revision, before the change.
    public mutating func move(_ move: Move, from revision: Int) {
        switch move {
        case .forward:
            undo.push(revision)
            undo.keep(Self.stepsMax)
            redo = RevisionStack()
        case .aside:
            redo = RevisionStack()
        case .undo(let count, let left):
            Self.go(count, revision, from: &undo, to: &redo)
            undo.keep(left)
        case .redo(let count, let left):
            Self.go(count, revision, from: &redo, to: &undo)
            redo.keep(left)
        }
    }

    private static func go(
        _ count: Int, _ revision: Int, from: inout RevisionStack, to: inout RevisionStack
    ) {
        to.push(revision)
        for _ in 1..<max(count, 1) {
            if let passed = from.pop() { to.push(passed) }
        }
        _ = from.pop()
        to.keep(stepsMax)
    }
}

/// A stack of revisions. Consecutive revisions are stored as one run, so the undo stack of a
/// session without any undo is a single run, which takes no memory of its own.
public struct RevisionStack: Equatable, Sendable {
    /// Revisions that rise by one, or fall by one, from the bottom to the top.
    public struct Run: Equatable, Sendable {
        /// The revision at the bottom.
        public var bottom: Int
        /// The revision on top.
        public var top: Int

        public init(bottom: Int, top: Int) {
            self.bottom = bottom
            self.top = top
        }

        /// The number of revisions in the run.
        public var count: Int { abs(top - bottom) + 1 }
        /// The highest revision in the run.
        public var highest: Int { max(bottom, top) }
        /// 1 if the revisions rise towards the top, -1 if they fall, 0 for a single one.
        fileprivate var direction: Int { (top - bottom).signum() }
    }

    /// The run on top. Nil if there is no step.
    private var last: Run?
    /// The runs below it, from the bottom.
    private var others: [Run] = []
    /// The number of steps on the stack.
    public private(set) var count = 0

    public init() {}

    /// The revisions directly below another one, the highest on top.
    init(count: Int, below revision: Int) {
        self.count = count
        if count > 0 { last = Run(bottom: revision - count, top: revision - 1) }
    }

    /// Takes runs that were read from the log, from the bottom to the top.
    public init(_ runs: [Run]) {
        last = runs.last
        others = Array(runs.dropLast())
        count = runs.reduce(0) { $0 + $1.count }
    }

    /// Whether runs that were read from the log are a valid stack.
    ///
    /// - Parameter revision: the newest revision of the session; all on the stack are below it.
    public static func isStack(_ runs: [Run], before revision: Int) -> Bool {
        var left = UndoStacks.stepsMax
        for run in runs {
            guard min(run.bottom, run.top) >= 1, run.highest < revision else { return false }
            left -= run.count
            guard left >= 0 else { return false }
        }
        return true
    }

    /// The runs from the bottom to the top.
    public var runs: [Run] { last.map { others + [$0] } ?? [] }

    /// Whether there is no step.
    public var isEmpty: Bool { last == nil }

    /// Whether the stack has exactly the revisions directly below another one, the highest on top.
    public func isPlain(below revision: Int) -> Bool {
        guard let last else { return true }
        return others.isEmpty && last.top == revision - 1 && last.bottom <= last.top
    }

    /// The step at a depth, 0 being the top, or nil if the stack is not that deep.
    public subscript(depth: Int) -> Int? {
        guard depth >= 0 else { return nil }
        var depth = depth
        for run in runs.reversed() {
            if depth < run.count { return run.top - depth * run.direction }
            depth -= run.count
        }
        return nil
    }

    mutating func push(_ revision: Int) {
        count += 1
        guard let run = last else {
            last = Run(bottom: revision, top: revision)
            return
        }
        if abs(revision - run.top) == 1,
            run.direction == 0 || revision == run.top + run.direction
        {
            last?.top = revision
        } else {
            others.append(run)
            last = Run(bottom: revision, top: revision)
        }
    }

    mutating func pop() -> Int? {
        guard let run = last else { return nil }
        count -= 1
        if run.direction == 0 {
            last = others.popLast()
        } else {
            last?.top -= run.direction
        }
        return run.top
    }

    /// Removes steps from the bottom until at most that many are left.
    mutating func keep(_ most: Int) {
        while count > most, let run = others.first ?? last {
            count -= 1
            let rest =
                run.direction == 0 ? nil : Run(bottom: run.bottom + run.direction, top: run.top)
            if others.isEmpty {
                last = rest
            } else if let rest {
                others[0] = rest
            } else {
                others.removeFirst()
            }
        }
    }
}
