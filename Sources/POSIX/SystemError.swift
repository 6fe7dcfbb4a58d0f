// The system's calls as safe Swift values.
//
// What it is: the thinnest layer that lets the rest of the program be written without a single
// pointer. Every call that can fail throws `SystemError`, which names the call, the number and,
// where there is one, the path. `unsafe` is written here for system calls, and in `Bytes` for
// memory; a review of memory safety reads these two folders.
//
// What it is not: a framework. There is no abstraction over other systems, no async, no policy
// but these:
//
//   1. EINTR is handled in one place, `retryingOnInterrupt`: the call is made again. Only `close` is not
//      repeated, since on Linux the descriptor is gone whatever it says.
//   2. EAGAIN is not an error: calls on non-blocking descriptors return nil for "not now".
//   3. Every descriptor is opened CLOEXEC and belongs to exactly one `FileDescriptor`, which
//      closes it when the last reference goes.
//   4. Memory that the kernel writes into belongs to the caller and is reused: no call here
//      allocates for each use except where it returns an array.
//   5. Offsets, ranges and counts are checked with `precondition`: a wrong one is our bug.
//
//     let file = try FileDescriptor.open("/tmp/x", [.readWrite, .create], mode: 0o600)
//     try file.writeAll(Array("hello\n".utf8))
//     try file.syncData()

internal import Glibc

/// A call to the kernel that failed.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call's name as its manual page has it.
    package let call: String
    /// The value of `errno`.
    package let number: Int32
    package let path: String?
    /// What is wrong, where we know it better than the number says.
    private let explanation: String?

    package init(
        _ call: String, number: Int32, path: String? = nil, explanation: String? = nil
    ) {
        self.call = call
        self.number = number
        self.path = path
        self.explanation = explanation
    }

    /// What is wrong: mostly the system's words for the number.
    package var text: String {
        if let explanation { return explanation }
        return unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }

    package var description: String {
        let place = path.map { " \($0)" } ?? ""
        return "\(call)\(place): \(text) (errno \(number))"
    }

    package static let ioError: Int32 = EIO
    package static let noSpace: Int32 = ENOSPC
    package static let quotaExceeded: Int32 = EDQUOT
    package static let fileTooBig: Int32 = EFBIG
    package static let notFound: Int32 = ENOENT
    package static let exists: Int32 = EEXIST
    package static let accessDenied: Int32 = EACCES
    package static let notPermitted: Int32 = EPERM
    package static let readOnly: Int32 = EROFS
    package static let wouldBlock: Int32 = EAGAIN
    package static let notSupported: Int32 = EOPNOTSUPP
    package static let tooManyOpen: Int32 = EMFILE
    package static let tooManyOpenInSystem: Int32 = ENFILE
    package static let connectionAborted: Int32 = ECONNABORTED
    package static let connectionReset: Int32 = ECONNRESET
    package static let brokenPipe: Int32 = EPIPE
    package static let addressInUse: Int32 = EADDRINUSE
    package static let timedOut: Int32 = ETIMEDOUT
    package static let connectionRefused: Int32 = ECONNREFUSED
    package static let invalidArgument: Int32 = EINVAL

    /// No room was left: the disk, the quota or the largest file size.
    package var isFull: Bool { number == ENOSPC || number == EFBIG || number == EDQUOT }
    /// The process or the system has no descriptor left.
    package var isOutOfDescriptors: Bool { number == EMFILE || number == ENFILE }
    /// The other side of a connection is gone.
    package var isPeerGone: Bool {
        number == ECONNRESET || number == EPIPE || number == ECONNABORTED || number == ETIMEDOUT
            || number == ENOTCONN
    }
}

/// Makes the call until it is not interrupted; the result, or the negated `errno`.
@inline(__always)
func retryingOnInterrupt(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 { return result }
        let number = errno
        if number != EINTR { return -Int(number) }
    }
}

/// The result of `retryingOnInterrupt`, thrown if it is a failure.
@discardableResult
func check(_ result: Int, _ call: String, path: String? = nil) throws(SystemError) -> Int {
    guard result >= 0 else { throw SystemError(call, number: Int32(-result), path: path) }
    return result
}

/// The result of `retryingOnInterrupt`, nil if it would have had to wait.
func checkUnlessWaiting(_ result: Int, _ call: String) throws(SystemError) -> Int? {
    if result == -Int(EAGAIN) || result == -Int(EWOULDBLOCK) { return nil }
    return try check(result, call)
}
