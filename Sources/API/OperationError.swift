internal import JSON
internal import Navigation
internal import Sessions

/// Why an operation has no reply: it was refused, or something has to be loaded first.
enum OperationError: Error {
    case problem(Problem)
    case load([LoadRequest])

    init(_ error: StoreError) {
        if case .notInMemory(let requests) = error {
            self = .load(requests)
        } else if let problem = Problem(error) {
            self = .problem(problem)
        } else {
            preconditionFailure("every other error of a store is a problem")
        }
    }
}

// Swift does not convert typed errors by itself. These three functions are the only place that
// does.

/// Converts the errors of a call to the store.
@inline(__always)
func stored<Value>(
    _ body: () throws(StoreError) -> Value
) throws(OperationError) -> Value {
    do { return try body() } catch { throw OperationError(error) }
}

/// Converts the rejections of a call to the rules.
@inline(__always)
func ruled<Value>(
    _ body: () throws(RejectionError) -> Value
) throws(OperationError) -> Value {
    do { return try body() } catch { throw .problem(Problem(error)) }
}

/// Converts an exhausted work budget: it is the client's problem if the request takes too much
/// work, and the server's if the stored state does.
@inline(__always)
func within<Value>(
    budgetFor cause: WorkCause, _ body: () throws(WorkBudgetError) -> Value
) throws(OperationError) -> Value {
    do { return try body() } catch { throw .problem(Problem(.tooMuchWork(cause))) }
}
