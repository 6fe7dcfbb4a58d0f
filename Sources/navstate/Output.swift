internal import POSIX

/// Where the program prints. Tests collect the text instead.
package struct Output: Sendable {
    /// Prints a result, with its newlines.
    package let print: @Sendable (String) -> Void
    /// Prints a message about a problem, with its newlines.
    package let printError: @Sendable (String) -> Void
    /// Whether somebody reads along: results go to a terminal.
    package let isTerminal: Bool

    package init(
        print: @escaping @Sendable (String) -> Void,
        printError: @escaping @Sendable (String) -> Void, isTerminal: Bool = false
    ) {
        self.isTerminal = isTerminal
        self.print = print
        self.printError = printError
    }

    /// Standard output and standard error.
    static let process = Output(
        print: { Process.print($0) }, printError: { Process.print($0, toError: true) },
        isTerminal: Process.outputIsTerminal)
}
