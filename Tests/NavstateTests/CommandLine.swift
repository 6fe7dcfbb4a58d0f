import Navigation
import POSIX
import Sessions
import Storage
import TestSupport
import Testing
import navstate

/// A run of the program within the test's process, with its own environment and files.
struct CommandLine {
    var environment: [String: String] = [:]
    var files: [String: String] = [:]

    /// The output of a run, and its exit code.
    struct Result {
        var code: ExitCode
        var output: String
        var errors: String
    }

    func run(_ words: String...) -> Result { run(words) }

    func run(_ words: [String]) -> Result {
        let files = files
        let world = Resolution.World(environment: environment) { path throws(ExitError) in
            guard let text = files[path] else {
                throw ExitError(.usage, "\(path): No such file or directory")
            }
            return Array(text.utf8)
        }
        let printed = Lock((output: "", errors: ""))
        let output = Output(
            print: { text in printed.withLock { $0.output += text } },
            printError: { text in printed.withLock { $0.errors += text } })
        let code = Program.run(words, in: world, output: output)
        let texts = printed.withLock { $0 }
        return Result(code: code, output: texts.output, errors: texts.errors)
    }
}

/// A store on disk for the verbs to read.
struct StoredSessions {
    let directory: TemporaryDirectory
    /// The response of GET /v1/backup before the store was closed.
    let backup: [UInt8]
    var path: String { directory.path }

    /// A store with sessions of one revision each, closed in order.
    init(_ ids: [String]) throws {
        directory = try TemporaryDirectory(on: .memory)
        let store = try Self.open(directory.path)
        var last: SequenceNumber = 0
        for id in ids {
            last = try store.parts.writing.put([Self.record(id)], of: nil, details: .none).ticket
                .rawValue
        }
        backup = try Self.backup(of: store, upTo: last)
        #expect(store.close(at: 9000))
    }

    static func open(_ path: String) throws -> Store {
        var options = StoreOptions(path: path)
        options.segmentBytes = 1 << 20
        return try Store.open(options, now: 1000).0
    }

    static func record(_ id: String) -> SessionRecord {
        SessionRecord(
            id: SessionID(trusted: id), revision: 1, at: 2000, undoing: UndoStacks(),
            nextEntry: 1, event: Array(#"{"command":{}}"#.utf8),
            state: Array(#"{"id":"\#(id)","revision":1}"#.utf8))
    }

    private static func backup(of store: Store, upTo last: SequenceNumber) throws -> [UInt8] {
        let epoll = try Epoll()
        try epoll.add(store.wakeDescriptor, .readable, token: 0)
        var events: [Epoll.Event] = []
        store.submit()
        while store.durable < last {
            try epoll.wait(into: &events, timeoutMilliseconds: waitMilliseconds)
            try #require(!events.isEmpty, "the journal says nothing")
            _ = store.collect()
        }
        _ = store.backups.begin(token: 1, at: 1)
        defer { store.backups.end(token: 1) }
        var bytes: [UInt8] = []
        while true {
            store.backups.read(token: 1)
            var piece: BackupPiece?
            while piece == nil {
                try epoll.wait(into: &events, timeoutMilliseconds: waitMilliseconds)
                try #require(!events.isEmpty, "the reader says nothing")
                _ = store.collect()
                piece = store.backups.takePieces().first
            }
            let part = try #require(piece?.bytes)
            if part.isEmpty { return bytes }
            bytes += part
        }
    }

    /// The files of the log in the order of their names.
    func logFiles() throws -> [String] {
        try Directory.names(path + "/log").map { "\(path)/log/\($0)" }.sorted()
    }
}

/// Writes a file for a verb to read.
func write(_ bytes: [UInt8], to path: String) throws {
    let file = try FileDescriptor.open(path, [.writeOnly, .create, .exclusive])
    try file.writeAll(bytes)
}
