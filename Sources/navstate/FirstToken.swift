internal import API
internal import Bytes
internal import POSIX

/// The token of `--first-token make`: a file in the data directory.
///
/// It is made at the first start, so that a server that other machines can reach is never open, and
/// no user has to choose a token first. It is on disk before it is shown.
package struct FirstToken {
    private let directory: String
    package let path: String

    /// - Parameter directory: the data directory; it need not exist.
    package init(in directory: String) {
        self.directory = directory
        path = "\(directory)/first-token"
    }

    /// A new token: 128 random bits in hexadecimal.
    static func random() -> String {
        var text = ByteWriter(capacity: 32)
        for _ in 0..<2 { text.append(hexadecimal: Random.word(), digits: 16) }
        return text.string
    }

    /// Whether a token has been made.
    ///
    /// - Throws: a `cannotCreate` error if the file cannot be looked for.
    package func exists() throws(ExitError) -> Bool {
        try naming { () throws(SystemError) in try Directory.status(path) != nil }
    }

    /// The token that was made at the first start.
    ///
    /// - Throws: a `configuration` error if the file cannot be read.
    package func read() throws(ExitError) -> [UInt8] {
        let wrong: String
        do {
            let status = try Directory.status(path)
            if status?.isLink == true {
                wrong = "is a symbolic link"
            } else if let status, status.mode & 0o022 != 0 {
                // Who can write the file chooses the token.
                wrong = "can be written by others; keep it with chmod 600"
            } else {
                return try FileDescriptor.contents(of: path)
            }
        } catch {
            wrong = error.text
        }
        throw ExitError(
            .configuration, "\(path): \(wrong); without the file, a restart makes a token")
    }

    /// Whether others than the file's owner can read the token.
    package var isReadableByOthers: Bool {
        guard let status = try? Directory.status(path) else { return false }
        return status.mode & 0o044 != 0
    }

    /// Makes a token, in a file that only its owner can read.
    ///
    /// - Returns: the token, or nil if another process has made one in the meantime.
    /// - Throws: a `cannotCreate` error if the directory cannot be written.
    package func make() throws(ExitError) -> String? {
        try naming { () throws(SystemError) in
            try Directory.make(directory)
            let token = Self.random()
            let new = "\(path).\(Process.identifier)"
            try Directory.remove(new)
            let file = try FileDescriptor.open(new, [.writeOnly, .create, .exclusive], mode: 0o600)
            try file.writeAll(Array("\(token)\n".utf8))
            try file.sync()
            let isFirst = try link(new)
            try Directory.remove(new)
            try Directory.sync(directory)
            try Directory.sync("\(directory)/..")
            return isFirst ? token : nil
        }
    }

    /// Gives the complete file its name, unless there is one with this name.
    private func link(_ new: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try Directory.link(new, to: path)
            return true
        } catch {
            guard error.isAlreadyThere else { throw error }
            return false
        }
    }

    private func naming<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(ExitError) -> Value {
        do { return try body() } catch {
            throw ExitError(
                .cannotCreate,
                "cannot make the first token: \(error); choose another data "
                    + "directory with --data, or set a token (NAVSTATE_TOKEN)")
        }
    }
}
