package import HTTP
internal import JSON
internal import Navigation
package import Sessions

// Every URL of the service: a request value comes in, a reply value goes out.
//
// What this room is: the route table (`Endpoint.all` is the whole of it), the checks before any
// rule (`RequestOriginPolicy`), the reading of bodies, queries and preferences (`RequestContext`), the problems, and for each
// operation the few lines between the store and the rule book. What it is not: it knows no socket,
// no file and no thread, and it never waits.
//
// 1. `respond` is a function of the request, the time and the store. What it needs from the disk it
//    does not wait for: it gives `.load` with the places, and is called again with the same request
//    when they are in memory. Nothing has changed until then, so calling again is safe.
// 2. A reply carries `visibleAfter`, the sequence number that must be durable before anybody may see
//    it: that of the change it tells of, or of the state it shows.
// 3. Checks come in the order that the contract gives: the door, the framing of the body, a kept
//    key, the session, its precondition, the body's shape, the rules.
// 4. Every refusal is a `Problem`, thrown, and turned into an answer in one place.
// 5. Stored bytes are the answer's bytes: a session is encoded once a revision.
//
// A worked example, `POST /v1/sessions/kiosk-1/back` with an empty body:
//
//     RequestOriginPolicy Host is a loopback name, no foreign Origin
//     RouteTable        → .command(.back), id = "kiosk-1"
//     Call              body {} , no key, no If-Match, lenient
//     store.newest      → the record → Session
//     decide            → .change(event, answer)
//     store.put         → 4711
//     Reply             200, {"changed":true,…,"session":…}, visible after 4711

/// What comes of a request.
package enum Outcome: Sendable {
    case reply(Reply)
    /// Load these, then ask again.
    case load([RecordLocation])
    /// Ask again at the session's next change, or when the time is up.
    case wait(LongPoll)
    indirect case stream(StreamOpening)
    /// A copy of the store, behind this head.
    case backup(Response)
}

/// An answer, and when it may be shown.
package struct Reply: Sendable {
    package var response: Response
    /// What the answer shows is durable once the store is durable up to here; 0: at once.
    package var visibleAfter: SequenceNumber

    package init(_ response: Response, visibleAfter: SequenceNumber = 0) {
        self.response = response
        self.visibleAfter = visibleAfter
    }
}

/// Why an operation has no reply: a refusal, or bytes that must be loaded first.
enum OperationError: Error {
    case problem(Problem)
    case load([RecordLocation])

    init(_ error: StoreError) {
        if case .notInMemory(let places) = error {
            self = .load(places)
        } else if let problem = Problem(error) {
            self = .problem(problem)
        } else {
            preconditionFailure("only what is not in memory is no problem")
        }
    }
}

/// Does the work of the typed throws: every store call is wrapped in it.
@inline(__always)
func stored<Value>(
    _ body: () throws(StoreError) -> Value
) throws(OperationError) -> Value {
    do { return try body() } catch { throw OperationError(error) }
}

/// The same for the rules.
@inline(__always)
func ruled<Value>(
    _ body: () throws(RejectionError) -> Value
) throws(OperationError) -> Value {
    do { return try body() } catch { throw .problem(Problem(error)) }
}

/// Makes a problem of a work budget that is used up: the client's if its own input takes the work,
/// the server's if what it keeps does.
@inline(__always)
func within<Value>(
    budgetFor cause: WorkCause, _ body: () throws(WorkBudgetError) -> Value
) throws(OperationError) -> Value {
    do { return try body() } catch { throw .problem(Problem(.tooMuchWork(cause))) }
}
