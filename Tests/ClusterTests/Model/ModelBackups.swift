@testable import Cluster
import Navigation
import POSIX
import Sessions
import Storage
import Testing

/// A node of the model's store that can be asked.
struct AskableNode: AskableStore {
    let world: ModelWorld
    var node = 0

    func ask<Value>(_ body: (SessionStore) throws(StoreError) -> Value) throws -> Value {
        try world.ask(node) { engine throws(StoreError) in try body(engine.parts) }
    }
}

extension ModelWorld {
    /// Carries out a step, which must be kept.
    func take(_ step: LifeStep, at node: Int = 0) throws {
        let ticket = try ask(node) { engine throws(StoreError) -> Ticket in
            switch step {
            case .put(let record):
                let handle = try engine.reader.find(record.id, now: wall)
                return try engine.proposer.put([record], of: handle, details: .none).ticket
            case .delete(let id, let key):
                guard let handle = try engine.reader.find(id, now: wall) else { return .none }
                return try engine.proposer.delete(handle, at: wall, key: key, author: nil)
            case .tokens(let id, let tokens):
                guard let handle = try engine.reader.find(id, now: wall) else { return .none }
                return try engine.proposer.putTokens(tokens, of: handle, at: wall)
            case .app(let id, let document?):
                return try engine.proposer.putApps([(id, document)], at: wall)[0].ticket
            case .app(let id, nil):
                guard engine.reader.storedApps.contains(where: { $0.id == id }) else {
                    return .none
                }
                return try engine.proposer.deleteApp(id, at: wall)
            }
        }
        if ticket != .none { #expect(try outcome(ticket, at: node) == .kept) }
    }

    /// The pieces of a backup. The last one is nil if it cannot be made.
    ///
    /// - Parameter between: called before each piece but the first.
    func pieces(at node: Int = 0, _ between: () throws -> Void = {}) throws -> [[UInt8]?] {
        let engine = nodes[node].engine
        #expect(engine.backups.begin(token: 9, at: wall) == .none)
        var pieces: [[UInt8]?] = []
        while true {
            engine.backups.read(token: 9)
            engine.submit()
            var piece: BackupPiece?
            try wait("no piece of a backup comes") {
                piece = piece ?? engine.backups.takePieces().first
                return piece != nil
            }
            pieces.append(piece?.bytes)
            if piece?.bytes?.isEmpty ?? true { break }
            try between()
        }
        engine.backups.end(token: 9)
        return pieces
    }

    /// A backup as a node makes it.
    func backup(at node: Int = 0, _ between: () throws -> Void = {}) throws -> [UInt8] {
        try pieces(at: node, between).flatMap { try #require($0) }
    }

    /// Makes the store of a backup that comes in pieces.
    ///
    /// - Parameter reading: called before each piece; false ends the restore as a broken file does.
    /// - Returns: the numbers of messages.
    @discardableResult
    func restore(
        _ backup: [UInt8], pieceBytes: Int = 777, batchBytes: Int = 2_000,
        timeoutMilliseconds: Int64 = 20_000, reading: (() -> Bool)? = nil
    ) throws(SharedRestoreError) -> (published: Int, found: Int) {
        var options = SharedRestore.Options(address: address, format: LogBackupFormat())
        options.shardCount = layout.shardCount
        options.timeoutMilliseconds = timeoutMilliseconds
        options.batchBytes = batchBytes
        var start = 0
        return try SharedRestore.run(options, environment) { buffer throws(SystemError) in
            guard reading?() != false else {
                throw SystemError("read", number: SystemError.ioError)
            }
            let count = min(pieceBytes, buffer.count, backup.count - start)
            buffer.replaceSubrange(0..<count, with: backup[start..<start + count])
            start += count
            return count
        }
    }
}
