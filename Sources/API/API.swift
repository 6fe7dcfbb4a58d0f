// Every URL of the service: a request value comes in, an outcome value goes out.
//
// This target has the route table (`Endpoint.all` lists every URL), the checks that come before any
// rule (`RequestOriginPolicy`, `AccessControl`), the readers of bodies, queries and preferences
// (`RequestContext`, `Query`), the problems, and for each operation the few lines between the store
// and the rules. It knows no sockets, files or threads, and it never waits.
//
// 1. `Service.respond` is a function of the request, the time, the random bits and the store. If it
//    needs bytes that are not in memory, it returns `.load` with their locations and is called
//    again with the same request when they have been loaded. Nothing has changed until then, so
//    calling it again is safe.
// 2. All that the caller needs to know is in the outcome: the response, the endpoint and the
//    problem. Streams learn of changes from the store.
// 3. A reply carries `visibleAfter`, the tickets of changes that must be durable before the reply
//    may be sent: that of the change it makes, and those of the states it shows.
// 4. The checks are made in the order that the contract gives: origin and host, the framing of the
//    body, the idempotency key, the session, its precondition, the shape of the body, the rules.
// 5. Every refusal is a `Problem`. It is thrown, and turned into a response in one place.
// 6. Stored bytes are the bytes of the response: a session is encoded once for each revision.
//
// The parts:
//     Service           from a request to its operation, and from a refusal to its response
//     ServiceState      what outlives a request: the store, the environment, the caches
//     RequestContext    one request with that state; what every operation is given
//     …Operations etc.  one type for each kind of resource, made for one request
//     AgentMessages     the messages of agents at /mcp, which stand for other requests
//
// A worked example, `POST /v1/sessions/kiosk-1/back` with an empty body:
//
//     RequestOriginPolicy   Host is a loopback name, no foreign Origin
//     RouteTable            → .command(.back), id = "kiosk-1"
//     AccessControl         the token may control the session
//     SessionWriter         body {}, no key, no If-Match; the session as a value
//     decide                → .change(event, answer)
//     store.put             → 4711
//     Reply                 200, {"changed":true,…,"session":…}, visible after 4711
