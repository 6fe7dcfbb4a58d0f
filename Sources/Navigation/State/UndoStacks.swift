/// Where undo and redo of a session lead.
///
/// A step is named by a revision: the one whose record shows its navigation. The newest record shows
/// the present, which is in neither stack. So whoever undoes reads the record that the stack names,
/// and nothing has to be computed from other revisions.
///
///     a change that is a step    the present goes onto the undo stack, the redo stack is cleared
///     any other change           the redo stack is cleared
///     undo by n                  the present and the n - 1 steps on top of the undo stack move onto
///                                the redo stack; the step under them is taken off, as the new
///                                record shows it
///     redo by n                  the same with the stacks exchanged
package struct UndoStacks: Equatable, Sendable {
    /// The most steps of each stack.
    package static let stepsMax = 32

    package var undo = RevisionStack()
    package var redo = RevisionStack()

    package init() {}

    /// Stacks without redo, as a session has that was changed by steps alone.
    ///
    /// - Parameter revision: the session's newest; the steps are those right before it.
    package init(steps: Int, before revision: Int) {
        let count = max(0, min(steps, Self.stepsMax, revision - 1))
        undo = RevisionStack(count: count, below: revision)
    }

    /// - Parameter revision: the one that has been the present until now.
    package mutating func move(_ step: Event.Step, from revision: Int) {
        switch step {
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

/// A stack of revisions. Those that follow one another are kept as one run, so the undo stack of a
/// session that never undoes is a single run.
package struct RevisionStack: Equatable, Sendable {
    /// Revisions that rise by one, or fall by one, from the bottom to the top.
    package struct Run: Equatable, Sendable {
        package var bottom: Int
        package var top: Int

        package init(bottom: Int, top: Int) {
            self.bottom = bottom
            self.top = top
        }

        package var count: Int { abs(top - bottom) + 1 }
        package var highest: Int { max(bottom, top) }
        /// From a revision to the one above it in the run.
        fileprivate var direction: Int { (top - bottom).signum() }
    }

    /// From the bottom to the top.
    package private(set) var runs: [Run] = []
    package private(set) var count = 0

    package init() {}

    /// The revisions right below another one, the highest on top.
    init(count: Int, below revision: Int) {
        self.count = count
        if count > 0 { runs = [Run(bottom: revision - count, top: revision - 1)] }
    }

    /// Takes runs that were read back, from the bottom to the top.
    package init(_ runs: [Run]) {
        self.runs = runs
        count = runs.reduce(0) { $0 + $1.count }
    }

    /// Whether runs can be a stack of a session.
    ///
    /// - Parameter revision: the session's newest; all in the stack are below it.
    package static func isStack(_ runs: [Run], before revision: Int) -> Bool {
        var left = UndoStacks.stepsMax
        for run in runs {
            guard min(run.bottom, run.top) >= 1, run.highest < revision else { return false }
            left -= run.count
            guard left >= 0 else { return false }
        }
        return true
    }

    package var isEmpty: Bool { runs.isEmpty }

    /// Whether these are the revisions right below another one, the highest on top.
    package func isPlain(below revision: Int) -> Bool {
        guard let run = runs.first else { return true }
        return runs.count == 1 && run.top == revision - 1 && run.bottom <= run.top
    }

    /// The step under so many others: 0 is the top.
    package subscript(depth: Int) -> Int? {
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
        let last = runs.count - 1
        if last >= 0, abs(revision - runs[last].top) == 1,
            runs[last].direction == 0 || revision == runs[last].top + runs[last].direction
        {
            runs[last].top = revision
        } else {
            runs.append(Run(bottom: revision, top: revision))
        }
    }

    mutating func pop() -> Int? {
        guard let run = runs.last else { return nil }
        count -= 1
        if run.direction == 0 {
            runs.removeLast()
        } else {
            runs[runs.count - 1].top -= run.direction
        }
        return run.top
    }

    /// Takes steps off the bottom until there are no more than so many.
    mutating func keep(_ most: Int) {
        while count > most {
            count -= 1
            if runs[0].direction == 0 {
                runs.removeFirst()
            } else {
                runs[0].bottom += runs[0].direction
            }
        }
    }
}
