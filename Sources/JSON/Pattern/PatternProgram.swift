internal import Bytes

/// One step of a program. In a lookbehind, steps run backward: they take the scalar before the
/// position.
enum PatternInstruction: Sendable {
    case scalar(UInt32, isBackward: Bool)
    case set(Int, isBackward: Bool)
    /// Takes scalars of a set, and leaves a choice about their number open.
    case run(PatternRun)
    /// Continues with the next step, and with the other one if that fails.
    case split(other: Int)
    case jump(Int)
    /// Stores the position in a register.
    case save(Int)
    case clear(Range<Int>)
    /// Starts to count the repetitions of a loop.
    case zero(Int)
    /// The head of a loop: enters the body or leaves the loop, depending on the counter.
    case loop(counter: Int, PatternRepeats, exit: Int)
    /// The end of the body of a loop: fails if an optional repetition took nothing.
    case next(counter: Int, mark: Int, least: Int, head: Int)
    case textStart, textEnd
    case wordBoundary(isNegated: Bool)
    /// Runs the steps that follow, up to `succeed`, without moving, and continues after them.
    case look(isNegated: Bool, end: Int)
    case reference(Int, isBackward: Bool)
    case succeed
}

/// A repeated set: it takes from `least` to `most` scalars, as many or, if it is lazy, as few as
/// possible.
struct PatternRun: Sendable {
    /// The index of the set.
    var set: Int
    var least: Int
    var most: Int
    var isLazy: Bool
    var isBackward: Bool
}

/// A compiled pattern with its sets and the number of its registers.
///
/// Registers 2n and 2n+1 are the start and the end of capture n, or -1 without one. They are
/// followed by two registers for each loop: its counter and the start of the repetition.
struct PatternProgram: Sendable {
    private(set) var instructions: [PatternInstruction] = []
    private(set) var sets: [ScalarSet] = []
    private(set) var registerCount: Int
    private let names: [ExactString: Int]
    private var isBackward = false

    init(_ tree: PatternNode, groups: Int, names: [ExactString: Int]) {
        self.names = names
        registerCount = 2 * (groups + 1)
        add(tree)
        instructions.append(.succeed)
    }

    /// Whether a match can begin only at the start of the text.
    var isAnchored: Bool {
        if case .textStart? = instructions.first { true } else { false }
    }

    /// Adds the steps of a tree, whose depth the parser has limited.
    private mutating func add(_ node: PatternNode) {
        switch node {
        case .scalar(let value):
            instructions.append(.scalar(value, isBackward: isBackward))
        case .set(let set):
            instructions.append(.set(index(of: set), isBackward: isBackward))
        case .sequence(let nodes):
            for node in isBackward ? nodes.reversed() : nodes { add(node) }
        case .alternatives(let nodes): add(alternatives: nodes)
        case .capture(let number, let node):
            instructions.append(.save(2 * number + (isBackward ? 1 : 0)))
            add(node)
            instructions.append(.save(2 * number + (isBackward ? 0 : 1)))
        case .textStart: instructions.append(.textStart)
        case .textEnd: instructions.append(.textEnd)
        case .wordBoundary(let isNegated):
            instructions.append(.wordBoundary(isNegated: isNegated))
        case .look(let node, let isBehind, let isNegated):
            add(look: node, isBehind: isBehind, isNegated: isNegated)
        case .reference(let number):
            instructions.append(.reference(number, isBackward: isBackward))
        case .namedReference(let name):
            instructions.append(.reference(names[name] ?? 0, isBackward: isBackward))
        case .repeated(let node, let repeats): add(node, repeated: repeats)
        }
    }

    private mutating func index(of set: ScalarSet) -> Int {
        sets.append(set)
        return sets.count - 1
    }

    private mutating func add(alternatives nodes: [PatternNode]) {
        var jumps: [Int] = []
        for node in nodes.dropLast() {
            let split = reserve()
            add(node)
            jumps.append(reserve())
            instructions[split] = .split(other: instructions.count)
        }
        if let last = nodes.last { add(last) }
        for jump in jumps {
            instructions[jump] = .jump(instructions.count)
        }
    }

    private mutating func add(look node: PatternNode, isBehind: Bool, isNegated: Bool) {
        let head = reserve()
        let outside = isBackward
        isBackward = isBehind
        add(node)
        isBackward = outside
        instructions.append(.succeed)
        instructions[head] = .look(isNegated: isNegated, end: instructions.count)
    }

    private mutating func add(_ node: PatternNode, repeated repeats: PatternRepeats) {
        if let set = single(node) {
            let run = PatternRun(
                set: index(of: set), least: repeats.least, most: repeats.most,
                isLazy: repeats.isLazy, isBackward: isBackward)
            return instructions.append(.run(run))
        }
        let counter = registerCount
        registerCount += 2
        instructions.append(.zero(counter))
        let head = reserve()
        instructions.append(.save(counter + 1))
        if !repeats.groups.isEmpty {
            instructions.append(
                .clear(2 * repeats.groups.lowerBound..<2 * repeats.groups.upperBound))
        }
        add(node)
        instructions.append(
            .next(counter: counter, mark: counter + 1, least: repeats.least, head: head))
        instructions[head] = .loop(counter: counter, repeats, exit: instructions.count)
    }

    /// The set of a node that always takes one scalar.
    private func single(_ node: PatternNode) -> ScalarSet? {
        switch node {
        case .scalar(let value): ScalarSet([value...value])
        case .set(let set): set
        case .sequence, .alternatives, .capture, .textStart, .textEnd, .wordBoundary, .look,
            .reference, .namedReference, .repeated:
            nil
        }
    }

    /// Adds a placeholder for a step whose target is not known yet.
    private mutating func reserve() -> Int {
        instructions.append(.succeed)
        return instructions.count - 1
    }
}
