internal import POSIX

/// The environment variables that set how much the tests do.
package enum Environment {
    /// The number in a variable; nil if it is not set or no number.
    package static func number(_ name: String) -> Int? {
        Process.environment(name).flatMap { Int($0) }
    }
}
