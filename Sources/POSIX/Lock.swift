internal import CLinux
internal import Glibc

/// A value that threads share. It is accessed only while a mutex is held, and has a condition to
/// wait for.
///
/// `Synchronization.Mutex` has no condition, and the thread sanitizer does not understand its futex
/// and reports false races; it understands pthread_mutex(3).
@safe
public final class Lock<Value>: Sendable {
    private let mutex: navstate_mutex
    private let condition: navstate_condition
    private let box: navstate_box

    /// A lock that protects a value.
    public init(_ value: sending Value) {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let made = unsafe pthread_mutex_init(mutex, nil)
        let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        let conditionMade = unsafe makeCondition(condition)
        precondition(made == 0 && conditionMade == 0, "there is memory for a lock")
        let box = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        unsafe box.initialize(to: value)
        unsafe self.mutex = unsafe navstate_mutex(pointer: mutex)
        unsafe self.condition = unsafe navstate_condition(pointer: condition)
        unsafe self.box = unsafe navstate_box(pointer: UnsafeMutableRawPointer(box))
    }

    deinit {
        unsafe pthread_cond_destroy(condition.pointer)
        unsafe condition.pointer.deallocate()
        unsafe pthread_mutex_destroy(mutex.pointer)
        unsafe mutex.pointer.deallocate()
        let value = unsafe box.pointer.assumingMemoryBound(to: Value.self)
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Runs the closure with exclusive access to the value. It must not be called recursively.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let simulation = simulation
        simulation?.acquire(ObjectIdentifier(self))
        defer { simulation?.release(ObjectIdentifier(self)) }
        let locked = unsafe pthread_mutex_lock(mutex.pointer)
        precondition(locked == 0, "a lock can be taken")
        defer { unsafe pthread_mutex_unlock(mutex.pointer) }
        let value = unsafe box.pointer.assumingMemoryBound(to: Value.self)
        return try unsafe body(&value.pointee)
    }

    /// Waits until the closure returns a result. It is called again after each `notify`.
    public func wait<Result>(for body: (inout Value) -> sending Result?) -> sending Result {
        if let simulation {
            while true {
                if let result = withLock(body) { return result }
                _ = simulation.wait(for: ObjectIdentifier(self), until: nil)
            }
        }
        unsafe pthread_mutex_lock(mutex.pointer)
        defer { unsafe pthread_mutex_unlock(mutex.pointer) }
        while true {
            let value = unsafe box.pointer.assumingMemoryBound(to: Value.self)
            if let result = unsafe body(&value.pointee) { return result }
            unsafe pthread_cond_wait(condition.pointer, mutex.pointer)
        }
    }

    /// Waits until the closure returns a result or the time is over.
    ///
    /// - Parameter timeout: in milliseconds; 0 or less for no wait.
    /// - Returns: nil if the closure has not returned a result by then.
    public func wait<Result>(
        atMost timeout: Int, for body: (inout Value) -> sending Result?
    ) -> sending Result? {
        let timeout = max(0, timeout)
        if let simulation {
            let deadline = simulation.monotonicNanoseconds + Int64(timeout) * 1_000_000
            while true {
                if let result = withLock(body) { return result }
                guard simulation.wait(for: ObjectIdentifier(self), until: deadline) else {
                    return withLock(body)
                }
            }
        }
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + (timeout % 1000) * 1_000_000
        deadline.tv_sec += timeout / 1000 + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_mutex_lock(mutex.pointer)
        defer { unsafe pthread_mutex_unlock(mutex.pointer) }
        while true {
            let value = unsafe box.pointer.assumingMemoryBound(to: Value.self)
            if let result = unsafe body(&value.pointee) { return result }
            let waited = unsafe pthread_cond_timedwait(condition.pointer, mutex.pointer, &deadline)
            if waited == ETIMEDOUT { return unsafe body(&value.pointee) }
        }
    }

    /// Makes all waiting threads call their closures again.
    public func notify() {
        simulation?.notify(ObjectIdentifier(self))
        unsafe pthread_cond_broadcast(condition.pointer)
    }
}

/// A condition whose timeouts use a clock that cannot be set.
private func makeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 {
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    defer { unsafe pthread_condattr_destroy(&attributes) }
    return unsafe pthread_cond_init(condition, &attributes)
}
