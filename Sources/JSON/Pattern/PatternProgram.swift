/// One step of a pattern's program. Steps that take a scalar take it before the position when
/// they run backwards, inside a lookbehind.
enum PatternInstruction: Sendable {
    case scalar(UInt32, isBackward: Bool)
    case set(Int, isBackward: Bool)
    /// Takes as many of a set as it may, or as few, and keeps the rest of the choice.
    case run(set: Int, least: Int, most: Int, isLazy: Bool, isBackward: Bool)
    /// Goes on with the next, and with the other if that fails.
    case split(other: Int)
    case jump(Int)
    /// Keeps the position in a register.
    case save(Int)
    case clear(Range<Int>)
    /// Begins to count a loop's repetitions.
    case zero(Int)
    /// The head of a loop: goes on with its body or leaves, as the counter says.
    case loop(counter: Int, PatternRepeats, exit: Int)
    /// The end of a loop's body: fails if a repetition that need not be took nothing.
    case next(counter: Int, mark: Int, least: Int, head: Int)
    case textStart, textEnd
    case wordBoundary(isNegated: Bool)
    /// Looks with the steps that follow, up to `succeed`, and goes on behind them.
    case look(isNegated: Bool, end: Int)
    case reference(Int, isBackward: Bool)
    case succeed
}

/// A pattern translated into steps, with its sets and the number of its registers.
///
/// Registers 2n and 2n+1 hold the beginning and the end of capture n, -1 where it has none; behind
/// them each loop has two: its counter and where its repetition began.
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

    /// Whether a match can only begin where the text does.
    var isAnchored: Bool {
        if case .textStart? = instructions.first { true } else { false }
    }

    /// Adds a tree's steps; it goes as deep as the parser has allowed.
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
            let (least, most) = (repeats.least, repeats.most)
            instructions.append(
                .run(
                    set: index(of: set), least: least, most: most, isLazy: repeats.isLazy,
                    isBackward: isBackward))
            return
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

    /// The set of a node that takes exactly one scalar.
    private func single(_ node: PatternNode) -> ScalarSet? {
        switch node {
        case .scalar(let value): ScalarSet([value...value])
        case .set(let set): set
        case .sequence, .alternatives, .capture, .textStart, .textEnd, .wordBoundary, .look,
            .reference, .namedReference, .repeated:
            nil
        }
    }

    /// Keeps a place for a step whose target is not yet known.
    private mutating func reserve() -> Int {
        instructions.append(.succeed)
        return instructions.count - 1
    }
}
