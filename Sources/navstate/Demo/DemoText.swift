/// The output of `navstate demo` when it is ready.
package struct DemoText {
    /// The origin of the server as browsers reach it: `http://127.0.0.1:41231`.
    package var origin: String
    /// The token of the server, if it has one.
    package var token: String?
    /// The token of the session that the display shows, if the server has one.
    package var displayToken: String?
    /// Whether the address of the display is also printed as a QR code.
    package var hasCode: Bool
    /// Whether the text goes to a terminal, which shows colors.
    package var isTerminal: Bool

    package init(
        origin: String, token: String?, displayToken: String?, hasCode: Bool, isTerminal: Bool
    ) {
        self.origin = origin
        self.token = token
        self.displayToken = displayToken
        self.hasCode = hasCode
        self.isTerminal = isTerminal
    }

    /// The address of the console. A link with a token names no session, because the console would
    /// take that as a link to this session alone.
    package var console: String {
        "\(origin)/#" + (token.map { "token=\($0)" } ?? "session=\(DemoSessions.main)")
    }

    package var display: String {
        "\(origin)/display#session=\(DemoSessions.main)"
            + (displayToken.map { "&token=\($0)" } ?? "")
    }

    package var text: String {
        let lines = curlLines.map { "  \($0)\n" }.joined()
        return """
            navstate \(Version.text) demo: three sessions, five sample apps

              console   \(console)
              display   \(display)

            Open both side by side: what you tap on one moves the other. In another terminal, try

            \(lines)
            \(code)\
            Ctrl-C ends the demo and removes its data.

            """
    }

    /// Commands to try: a screen, a deep link, and a look at the result.
    package var curlLines: [String] {
        let session = "\(origin)/v1/sessions/\(DemoSessions.main)"
        let field = token.map { " -H 'Authorization: Bearer \($0)'" } ?? ""
        return [
            #"curl\#(field) --json '{"route":"postDetail","params":{"id":3}}' \#(session)/navigate"#,
            #"curl\#(field) --json '{"url":"myapp://compose/audience"}' \#(session)/open"#,
            "curl\(field) -X POST \(session)/undo",
        ]
    }

    private var code: String {
        guard hasCode, let code = QRCode(Array(display.utf8)) else { return "" }
        let picture = code.text(isTerminal: isTerminal)
        return "Scan this with a phone on the same network to open the display on it:\n\n"
            + "\(picture)\n"
    }
}
