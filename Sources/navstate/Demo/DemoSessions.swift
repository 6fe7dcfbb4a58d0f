internal import API
internal import JSON
internal import Navigation

/// The sessions of the demo: one for each of three sample apps, with a history to look at.
enum DemoSessions {
    /// The session that the demo's addresses and curl lines name.
    static let main = "demo"

    /// A request as its path below `/v1/sessions` and its body.
    private typealias Call = (path: String, body: String)

    private static let calls: [Call] = [
        ("", #"{"id":"desk","app":"chat","labels":{"room":"office"}}"#),
        ("/desk/navigate", #"{"route":"contactList"}"#),
        (
            "/desk/navigate",
            #"{"route":"contactDetail","params":{"contact":{"id":"ada","name":"Ada"}}}"#
        ),
        ("/desk/open", #"{"url":"chat://conversation/grace?name=Grace"}"#),
        ("/desk/setBadge", #"{"tab":"chats","badge":3}"#),
        ("", #"{"id":"kiosk","app":"shop","labels":{"room":"lobby"}}"#),
        ("/kiosk/open", #"{"url":"https://shop.example/category/tea/Green?price=3.5"}"#),
        ("/kiosk/navigate", #"{"route":"delivery"}"#),
        ("/kiosk/back", "{}"),
        ("", #"{"id":"demo","app":"social","labels":{"room":"lobby"}}"#),
        ("/demo/navigate", #"{"route":"postDetail","params":{"id":2}}"#),
        ("/demo/navigate", #"{"route":"userProfile","params":{"userId":"grace"}}"#),
        ("/demo/back", "{}"),
        ("/demo/select", #"{"tab":"profile"}"#),
        ("/demo/navigate", #"{"route":"settings"}"#),
        ("/demo/select", #"{"tab":"home"}"#),
        ("/demo/setBadge", #"{"tab":"profile","badge":1}"#),
        ("/demo/present", #"{"route":"newPost"}"#),
        ("/demo/dismiss", "{}"),
    ]

    /// Creates the sessions as if that had taken the last minutes.
    static func create(by client: InProcessClient, at now: Milliseconds) throws(ExitError) {
        for (index, call) in calls.enumerated() {
            let age = Int64(calls.count - index) * 17_000
            try client.post("/v1/sessions\(call.path)", call.body, at: now - age)
        }
    }

    /// Creates a token that may control the main session and nothing else.
    ///
    /// - Returns: the token.
    static func controlToken(
        by client: InProcessClient, at now: Milliseconds
    ) throws(ExitError) -> String {
        let made = try client.post(
            "/v1/sessions/\(main)/tokens", #"{"scope":"control","name":"demo-display"}"#, at: now)
        guard case .object(let members) = made, case .string(let token) = members["token"] else {
            throw ExitError(.internalError, "the demo's token is missing in the response")
        }
        return token
    }
}
