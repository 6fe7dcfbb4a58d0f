internal import Bytes

/// The definitions that the references of a schema can name: its own, and those of the app.
struct SchemaDefinitions {
    /// Names, in the order of the document, and the node of each of them.
    struct Table {
        var names: [String] = []
        var nodes: [ExactString: Int] = [:]
    }

    private let app: Table
    private var own = Table()

    /// - Parameter app: the definitions of the app.
    init(app: Table = Table()) { self.app = app }

    /// Begins a schema that has definitions of its own.
    mutating func begin(own: Table) { self.own = own }

    /// The node of a definition, if there is one. A schema's own definition hides one of the app.
    func node(named name: ExactString) -> Int? { own.nodes[name] ?? app.nodes[name] }

    /// All names, for the suggestion of a similar one.
    var names: [String] { own.names + app.names }
}

/// The problems of the schemas of one app. They are counted even when they are no longer kept.
struct SchemaProblems {
    private var list = BoundedList<SchemaError>()
    /// The number of problems so far, including those that were taken.
    private(set) var count = 0

    /// Whether further problems are only counted, so that their texts need not be made.
    var isFull: Bool { list.isFull }

    mutating func append(_ problem: @autoclosure () -> SchemaError) {
        count += 1
        guard !list.isFull else { return }
        let problem = problem()
        list.append(problem, bytes: problem.bytes)
    }

    /// The problems since the last call.
    mutating func take() -> [SchemaError] {
        defer { list = BoundedList() }
        return list.all
    }
}
