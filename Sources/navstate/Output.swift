internal import Bytes
internal import POSIX

/// Where the program prints. Tests collect the text instead.
package struct Output: Sendable {
    /// Prints a result, with its newlines.
    package let print: @Sendable (String) -> Void
    /// Prints a message about a problem, with its newlines.
    package let printError: @Sendable (String) -> Void
    /// Whether results go to a terminal.
    package let isTerminal: Bool
    package let hasColors: Bool
    package let columns: Int
    /// The descriptor that results are written to, if it is one whose reader may go away.
    package let descriptor: Int32?
    /// Why a result could not be written, or nil if all were.
    package let failure: @Sendable () -> String?

    package init(
        print: @escaping @Sendable (String) -> Void,
        printError: @escaping @Sendable (String) -> Void, isTerminal: Bool = false,
        hasColors: Bool = false, columns: Int = 80, descriptor: Int32? = nil,
        failure: @escaping @Sendable () -> String? = { nil }
    ) {
        self.isTerminal = isTerminal
        self.print = print
        self.printError = printError
        self.hasColors = hasColors
        self.columns = columns
        self.descriptor = descriptor
        self.failure = failure
    }

    /// Standard output and standard error.
    static let process: Output = {
        let lost = Lock(String?.none)
        return Output(
            print: { text in
                if let error = Process.print(text) { lost.withLock { $0 = error.text } }
            },
            printError: { Process.print($0, toError: true) },
            isTerminal: Process.outputIsTerminal, hasColors: wantsColors,
            columns: Process.outputColumns ?? 80, descriptor: 1,
            failure: { lost.withLock { $0 } })
    }()

    /// No colors if `NO_COLOR` is set to anything but the empty text, as https://no-color.org asks
    /// for, nor on a terminal that says it has none.
    private static var wantsColors: Bool {
        Process.outputIsTerminal && Process.environment("NO_COLOR").map(\.isEmpty) ?? true
            && Process.environment("TERM") != "dumb"
    }
}
