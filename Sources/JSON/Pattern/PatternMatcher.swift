/// Runs the program of a pattern on one text and counts the steps.
///
/// `trail` is the stack for backtracking: the choices that are still open and, between them, the
/// previous values of changed registers. On failure the matcher returns to the last open choice and
/// restores the registers on the way.
struct PatternMatcher {
    private enum Trace {
        case choice(step: Int, position: Int)
        /// A greedy run that can give back `count` scalars, or a lazy one that can take `count`
        /// more.
        case run(step: Int, position: Int, count: Int)
        case register(Int, old: Int)
    }

    private let program: PatternProgram
    private let text: [Unicode.Scalar]
    private var registers: [Int]
    private var trail: [Trace] = []
    private var position = 0
    private(set) var stepsLeft: Int

    init(_ program: PatternProgram, _ text: [Unicode.Scalar], steps: Int) {
        self.program = program
        self.text = text
        stepsLeft = steps
        registers = Array(repeating: -1, count: program.registerCount)
    }

    /// Searches for a match at each position of the text.
    mutating func search() -> Pattern.Result {
        for start in 0...(program.isAnchored ? 0 : text.count) {
            position = start
            if run(from: 0) { return .matches }
            guard stepsLeft > 0 else { return .tookTooLong }
        }
        return .doesNotMatch
    }

    /// Runs from a step to its `succeed`. If it fails, the trail is unchanged. It is recursive only
    /// for lookarounds, whose nesting is bounded.
    private mutating func run(from first: Int) -> Bool {
        let base = trail.count
        var step = first
        while true {
            stepsLeft -= 1
            guard stepsLeft > 0 else { return false }
            if case .succeed = program.instructions[step] { return true }
            if let next = perform(step) {
                step = next
            } else if let next = goBack(to: base) {
                step = next
            } else {
                return false
            }
        }
    }

    /// Performs a step and returns the next one, or nil if the step failed.
    private mutating func perform(_ step: Int) -> Int? {
        switch program.instructions[step] {
        case .scalar(let value, let isBackward):
            guard let scalar = take(isBackward), scalar.value == value else { return nil }
        case .set(let set, let isBackward):
            stepsLeft -= program.sets[set].cost
            guard let scalar = take(isBackward), program.sets[set].contains(scalar) else {
                return nil
            }
        case .run(let run): return perform(run, at: step)
        case .split(let other): trail.append(.choice(step: other, position: position))
        case .jump(let target): return target
        case .save(let register): set(register, to: position)
        case .clear(let range):
            for register in range where registers[register] != -1 { set(register, to: -1) }
        case .zero(let counter): set(counter, to: 0)
        case .loop(let counter, let repeats, let exit):
            return performLoop(repeats, at: step, count: registers[counter], exit: exit)
        case .next(let counter, let mark, let least, let head):
            let count = registers[counter]
            guard count < least || registers[mark] != position else { return nil }
            set(counter, to: count + 1)
            return head
        case .textStart: guard position == 0 else { return nil }
        case .textEnd: guard position == text.count else { return nil }
        case .wordBoundary(let isNegated):
            guard (isWord(position - 1) != isWord(position)) != isNegated else { return nil }
        case .look(let isNegated, let end):
            return look(step, isNegated: isNegated) ? end : nil
        case .reference(let group, let isBackward):
            guard takeCapture(group, isBackward) else { return nil }
        case .succeed: break
        }
        return step + 1
    }

    /// Backtracks to the last untried alternative above `base` on the trail, or returns nil if all
    /// have been tried.
    private mutating func goBack(to base: Int) -> Int? {
        while trail.count > base, let trace = trail.popLast() {
            switch trace {
            case .register(let register, let old): registers[register] = old
            case .choice(let step, let position):
                self.position = position
                return step
            case .run(let step, let position, let count):
                if let next = resume(step, from: position, count: count) { return next }
            }
        }
        return nil
    }
}

// MARK: - Loops and runs

extension PatternMatcher {
    private mutating func performLoop(
        _ repeats: PatternRepeats, at step: Int, count: Int, exit: Int
    ) -> Int {
        if count < repeats.least { return step + 1 }
        if count >= repeats.most { return exit }
        let other = repeats.isLazy ? step + 1 : exit
        trail.append(.choice(step: other, position: position))
        return repeats.isLazy ? exit : step + 1
    }

    private mutating func perform(_ run: PatternRun, at step: Int) -> Int? {
        let room = run.isBackward ? position : text.count - position
        guard run.least <= room else { return nil }
        let wanted = run.isLazy ? run.least : min(run.most, room)
        let taken = countOf(run.set, upTo: wanted, run.isBackward)
        guard taken >= run.least else { return nil }
        position += run.isBackward ? -taken : taken
        let open = run.isLazy ? min(run.most, room) - run.least : taken - run.least
        if open > 0 { trail.append(.run(step: step, position: position, count: open)) }
        return step + 1
    }

    /// Takes one scalar less than the last time, or one more if the run is lazy.
    private mutating func resume(_ step: Int, from position: Int, count: Int) -> Int? {
        guard case .run(let run) = program.instructions[step] else { return nil }
        self.position = position
        if run.isLazy {
            stepsLeft -= program.sets[run.set].cost
            guard let scalar = take(run.isBackward), program.sets[run.set].contains(scalar) else {
                return nil
            }
        } else {
            self.position += run.isBackward ? 1 : -1
        }
        if count > 1 { trail.append(.run(step: step, position: self.position, count: count - 1)) }
        return step + 1
    }

    /// The number of consecutive scalars of a set at the position.
    private mutating func countOf(_ set: Int, upTo most: Int, _ isBackward: Bool) -> Int {
        let characters = program.sets[set]
        var count = 0
        while count < most {
            let scalar = text[isBackward ? position - count - 1 : position + count]
            guard characters.contains(scalar) else { break }
            count += 1
        }
        stepsLeft -= count * characters.cost
        return count
    }
}

// MARK: - Text and registers

extension PatternMatcher {
    private mutating func take(_ isBackward: Bool) -> Unicode.Scalar? {
        let index = isBackward ? position - 1 : position
        guard text.indices.contains(index) else { return nil }
        position += isBackward ? -1 : 1
        return text[index]
    }

    private mutating func set(_ register: Int, to value: Int) {
        trail.append(.register(register, old: registers[register]))
        registers[register] = value
    }

    /// Runs a lookaround. If it succeeds, its captures are kept and its open choices are dropped.
    private mutating func look(_ step: Int, isNegated: Bool) -> Bool {
        let (base, start) = (trail.count, position)
        let holds = run(from: step + 1)
        position = start
        guard holds else { return isNegated && stepsLeft > 0 }
        if isNegated {
            closeTrail(from: base, isRestoring: true)
            return false
        }
        closeTrail(from: base, isRestoring: false)
        return true
    }

    private mutating func closeTrail(from base: Int, isRestoring: Bool) {
        var kept: [Trace] = []
        for trace in trail[base...].reversed() {
            guard case .register(let register, let old) = trace else { continue }
            if isRestoring { registers[register] = old } else { kept.append(trace) }
        }
        trail.removeSubrange(base...)
        trail += kept.reversed()
    }

    /// Takes the text of a capture. A capture without text is empty.
    private mutating func takeCapture(_ group: Int, _ isBackward: Bool) -> Bool {
        let (from, to) = (registers[2 * group], registers[2 * group + 1])
        guard from >= 0, to >= from else { return true }
        let length = to - from
        stepsLeft -= length
        let start = isBackward ? position - length : position
        guard start >= 0, start + length <= text.count else { return false }
        guard text[start..<start + length] == text[from..<to] else { return false }
        position = isBackward ? start : start + length
        return true
    }

    private func isWord(_ index: Int) -> Bool {
        text.indices.contains(index) && ScalarSet.wordCharacters.contains(text[index])
    }
}
