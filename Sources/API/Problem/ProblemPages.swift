internal import Bytes
internal import HTTP

// The pages about problems as HTML. They need no script: it only puts the address of this server
// into the curl lines, and adds buttons that copy them.

/// Draws the list of all problems, and a page for each.
struct ProblemPages {
    private let guides: [ProblemGuide]

    init(_ guides: [ProblemGuide]) { self.guides = guides }

    /// The list of all problems, by status.
    var list: String {
        var status = 0
        let rows = guides.map { guide in
            let heading =
                guide.kind.status.code == status
                ? "" : "<h2>\(guide.kind.status.code) \(guide.kind.status.reason)</h2>\n"
            status = guide.kind.status.code
            return """
                \(heading)<a class="problem-row" href="/problems/\(guide.kind.rawValue)">\
                <strong>\(Self.escaped(guide.kind.title))</strong> \
                <code>\(guide.kind.rawValue)</code> \
                <span class="dim">\(Self.escaped(Self.firstSentence(guide.cause)))</span></a>

                """
        }
        return page(
            "Problems",
            """
            <h1>Problems</h1>
            <p>Every refusal is a problem as RFC 9457 defines it: its <code>type</code> is one of \
            these and never changes, and its <code>detail</code> says what to do about this \
            request.</p>
            <div class="problem-list" id="problems">
            \(rows.joined())</div>
            """)
    }

    /// The page about one problem. Nil if no problem has that name.
    func page(about kind: ProblemKind) -> String? {
        guard let index = guides.firstIndex(where: { $0.kind == kind }) else { return nil }
        let guide = guides[index]
        return page(
            guide.kind.title,
            """
            <p><a href="/problems">All problems</a></p>
            <h1>\(Self.escaped(kind.title))</h1>
            <p class="problem-kind"><code>\(kind.rawValue)</code> \
            <span class="status-chip">\(kind.status.code) \(kind.status.reason)</span></p>
            <h2>Cause</h2>
            <p>\(Self.escaped(guide.cause))</p>
            <h2>What to do</h2>
            <p>\(Self.escaped(guide.advice))</p>
            \(example(of: guide))\
            <p class="problem-more">The operations and their problems are described in the \
            <a href="/docs">API documentation</a>.</p>
            """)
    }

    private func example(of guide: ProblemGuide) -> String {
        guard let answer = guide.answer else { return "" }
        return """
            <h2>Example</h2>
            <pre class="json" tabindex="0" role="region" aria-label="Request" data-curl>\
            \(Self.escaped(guide.request))</pre>
            <p class="dim">answers with \(guide.kind.status.code) \(guide.kind.status.reason):</p>
            <pre class="json" tabindex="0" role="region" aria-label="Response">\
            \(Self.escaped(answer.indented()))</pre>

            """
    }

    private func page(_ title: String, _ content: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(Self.escaped(title)) · navstate</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/console.css">
        <link rel="stylesheet" href="/console/problems.css">
        <script type="module" src="/console/problems.js"></script>
        </head>
        <body class="problem-body">
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <p class="brand"><span class="mark" aria-hidden="true"></span>navstate</p>
          <nav class="links" aria-label="Service">
            <a class="quiet" href="/">Console</a>
            <a class="quiet" href="/docs">API</a>
          </nav>
        </header>
        <main class="problem-page" id="content" tabindex="-1">
        \(content)
        </main>
        <div class="visually-hidden" id="announcer" role="status" aria-live="polite"></div>
        </body>
        </html>

        """
    }

    private static func firstSentence(_ text: String) -> String {
        guard let end = text.utf8.firstRange(of: ". ".utf8) else { return text }
        return String(text[..<end.lowerBound]) + "."
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
