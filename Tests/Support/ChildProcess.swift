internal import Glibc
package import POSIX

/// A program that a test has started.
///
/// Foundation's `Process` learns that a child has ended from a socket that the child inherits. If
/// another child is started at the same moment, it can inherit that socket as well, and the first
/// one then seems to run as long as the second. This class asks the kernel for the child itself.
package final class ChildProcess {
    private let identifier: pid_t
    /// Whether the kernel has told the end of the child, and may give its identifier to another.
    private var hasBeenReaped = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the program's file.
    ///   - arguments: what follows the program's name.
    ///   - environment: all its variables.
    ///   - output: the file in which it writes what it prints; it is emptied first.
    package init(
        _ path: String, arguments: [String], environment: [String: String], output: String
    ) throws(SystemError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Whoever waits for the end of a connection of this process must not wait for the child.
        for name in try Directory.names("/proc/self/fd") {
            guard let number = Int32(name), number > 2 else { continue }
            unsafe posix_spawn_file_actions_addclose(&actions, number)
        }
        let variables = environment.map { "\($0.key)=\($0.value)" }
        var identifier = pid_t()
        let result = unsafe Self.withPointers(to: [path] + arguments) { arguments in
            unsafe Self.withPointers(to: variables) { variables in
                unsafe posix_spawn(&identifier, path, &actions, nil, arguments, variables)
            }
        }
        guard result == 0 else { throw SystemError("posix_spawn", number: result) }
        self.identifier = identifier
    }

    deinit { kill() }

    /// Whether the program has not ended yet.
    package var isRunning: Bool {
        if !hasBeenReaped {
            hasBeenReaped = waitpid(identifier, nil, WNOHANG) == identifier
        }
        return !hasBeenReaped
    }

    /// Stops the program without ending it. It keeps its files and connections but does nothing.
    package func stop() { send(SIGSTOP) }

    /// Lets a stopped program go on.
    package func resume() { send(SIGCONT) }

    /// Ends the program as a power failure would, and waits until it has ended.
    package func kill() {
        send(SIGKILL)
        while !hasBeenReaped {
            hasBeenReaped = waitpid(identifier, nil, 0) == identifier || errno != EINTR
        }
    }

    private func send(_ signal: Int32) {
        if !hasBeenReaped { _ = Glibc.kill(identifier, signal) }
    }

    /// Passes the texts as C strings in an array that ends with a null pointer.
    private static func withPointers(
        to texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
    ) -> Int32 {
        let pointers = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(pointers + [nil])
    }
}
