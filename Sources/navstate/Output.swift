internal import POSIX

/// Where the program prints. Tests collect the text instead.
package struct Output: Sendable {
    /// Prints a result, with its newlines.
    package let print: @Sendable (String) -> Void
    /// Prints a message about a problem, with its newlines.
    package let printError: @Sendable (String) -> Void

    package init(
        print: @escaping @Sendable (String) -> Void,
        printError: @escaping @Sendable (String) -> Void
    ) {
        self.print = print
        self.printError = printError
    }

    /// Standard output and standard error.
    static let process = Output(
        print: { Process.print($0) }, printError: { Process.print($0, toError: true) })
}
