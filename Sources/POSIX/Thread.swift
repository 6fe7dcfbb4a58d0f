internal import CLinux
internal import Glibc

/// A thread of the system that runs one closure.
package struct Thread: Sendable {
    private let identity: pthread_t

    /// Starts at once; signals that the starter has blocked stay blocked in it.
    ///
    /// - Parameter name: what `top -H` shows; the first 15 bytes count.
    package init(
        named name: String, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let argument = unsafe Unmanaged.passRetained(Body(run: body)).toOpaque()
        var identity = pthread_t()
        let result = unsafe pthread_create(&identity, nil, runBody, argument)
        guard result == 0 else {
            unsafe Unmanaged<Body>.fromOpaque(argument).release()
            throw SystemError("pthread_create", number: result)
        }
        _ = unsafe pthread_setname_np(
            identity, String(decoding: name.utf8.prefix(15), as: UTF8.self))
        self.identity = identity
    }

    /// Waits for its end; exactly once a thread.
    package func join() {
        let result = pthread_join(identity, nil)
        precondition(result == 0, "a thread is joined once")
    }
}

private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument = unsafe argument {
        unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
    }
    return nil
}
