internal import Bytes
internal import Glibc

/// A system call that failed.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the call, as in its manual page.
    public let call: String
    /// The value of `errno`.
    public let number: Int32
    /// The path or address that the call was about.
    public let path: String?
    /// The fault, if more is known than the number says.
    private let explanation: String?

    /// An error of a call.
    ///
    /// - Parameter explanation: replaces the text of the system.
    public init(
        _ call: String, number: Int32, path: String? = nil, explanation: String? = nil
    ) {
        self.call = call
        self.number = number
        self.path = path
        self.explanation = explanation
    }

    /// The fault, usually in the words of the system.
    public var text: String {
        if let explanation { return explanation }
        return unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }

    public var description: String {
        let object = path.map { " \($0)" } ?? ""
        return "\(call)\(object): \(text) (errno \(number))"
    }

    /// EIO: an error of the device.
    public static let ioError: Int32 = EIO
    /// ENOSPC: the disk is full.
    public static let noSpace: Int32 = ENOSPC
    /// ENOENT: the file does not exist.
    public static let notFound: Int32 = ENOENT
    /// EADDRINUSE: the address is used by another socket.
    public static let addressInUse: Int32 = EADDRINUSE
    /// ETIMEDOUT: the time limit was reached.
    public static let timedOut: Int32 = ETIMEDOUT
    /// ECONNREFUSED: no socket listens on the address.
    public static let connectionRefused: Int32 = ECONNREFUSED
    /// EAFNOSUPPORT: an address is of a kind that cannot be used.
    public static let unknownFamily: Int32 = EAFNOSUPPORT
    /// EINVAL: an argument is invalid.
    public static let invalidArgument: Int32 = EINVAL

    /// Whether the disk, the quota or the largest file size was exceeded.
    public var isFull: Bool { number == ENOSPC || number == EFBIG || number == EDQUOT }
    /// Whether the name is taken.
    public var isAlreadyThere: Bool { number == EEXIST }
    /// Whether the process or the system has no descriptor left.
    public var isOutOfDescriptors: Bool { number == EMFILE || number == ENFILE }
}

/// Repeats a call while it is interrupted.
///
/// - Returns: the result of the call, or the negated `errno`.
@inline(__always)
func retryingOnInterrupt(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 { return result }
        let number = errno
        if number != EINTR { return -Int(number) }
    }
}

/// Throws if the result of `retryingOnInterrupt` is a failure, and returns it otherwise.
@discardableResult
func check(_ result: Int, _ call: String, path: String? = nil) throws(SystemError) -> Int {
    guard result >= 0 else { throw SystemError(call, number: Int32(-result), path: path) }
    return result
}

/// The same as `check`, but returns nil if the call would have blocked.
func checkUnlessWaiting(_ result: Int, _ call: String) throws(SystemError) -> Int? {
    if result == -Int(EAGAIN) || result == -Int(EWOULDBLOCK) { return nil }
    return try check(result, call)
}
