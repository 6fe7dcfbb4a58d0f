internal import API
internal import Bytes
internal import POSIX

extension Subcommand {
    static let playground = Subcommand(
        name: "playground", words: "DIR",
        meaning: "write a page to try the documents of apps, which needs no server",
        details: """
            It writes DIR/index.html, the page that a server has at /play: the document of an \
            app, and the app as it behaves by the rules of the server. The page holds all that it \
            needs. It opens from a disk, and from any web server for files. DIR is created if it \
            does not exist. An index.html of another kind is not replaced.
            """, hasServerOptions: false, run: Playground.run)
}

/// The command `playground`.
enum Playground {
    static func run(_ context: CommandContext) throws(ExitError) {
        let path = "\(context.argument)/index.html"
        let page = PlaygroundPage.text.utf8
        if let old = try? FileDescriptor.contents(of: path),
            !old.starts(with: PlaygroundPage.beginning.utf8)
        {
            throw ExitError(.configuration, "\(path) exists, and is no playground")
        }
        do throws(SystemError) {
            try Directory.make(context.argument, mode: 0o777)
            let file = try FileDescriptor.open(path, [.writeOnly, .create, .truncate], mode: 0o666)
            try file.writeAll(Array(page))
        } catch {
            throw ExitError(.configuration, "\(path): \(error.text)")
        }
        context.output.print("\(path)\n")
    }
}

/// The page `/play` with its files in it: a page from a disk may read no other file.
package enum PlaygroundPage {
    /// The files of the rules' thread, which the head of the page does not name.
    private static let others = [
        "/play/worker.js", "/navstate-rules.js", "/rules-session.js", "/navstate.js",
        "/app.schema.json", "/console/demo-app.json",
    ]

    /// Nothing may be loaded, and nothing may be sent.
    private static let policy =
        "default-src 'none'; script-src 'unsafe-inline' blob: data: 'wasm-unsafe-eval'; "
        + "worker-src blob: data:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        + "form-action 'none'"

    package static let beginning = "<!doctype html>\n<!-- Made by navstate playground. -->\n"

    package static var text: String {
        var page = ""
        var held: [String] = []
        for line in lines(of: "/play").dropFirst() {
            if line.hasPrefix("<meta charset") {
                page +=
                    "\(line)\n<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n"
            } else if line.hasPrefix("<link rel=\"icon\"") {
                page += "<link rel=\"icon\" href=\"data:,\">\n"
            } else if let path = value(of: "href", in: line, after: "<link rel=\"stylesheet\"") {
                page += "<style>\n\(file(path))</style>\n"
            } else if let path = value(of: "src", in: line, after: "<script src") {
                page += "<script>\n\(file(path))</script>\n"
            } else if let path = value(of: "src", in: line, after: "<script type=\"module\"")
                ?? value(of: "href", in: line, after: "<link rel=\"modulepreload\"")
            {
                held.append(path)
            } else if line == "</body>" {
                page += parts(held + others.filter { !held.contains($0) }) + "</body>\n"
            } else {
                page += "\(line)\n"
            }
        }
        return beginning + page
    }

    private static func parts(_ paths: [String]) -> String {
        let rules = Base64.encode(EmbeddedDocument.file(at: "/rules.wasm"))
        let files = paths.map { (path: $0, text: file($0)) } + [("/rules.wasm", rules)]
        let texts = files.map { path, text in
            "<script type=\"text/plain\" data-file=\"\(path)\">\(text)</script>\n"
        }
        return texts.joined() + "<script>\n\(file("/play/held.js"))</script>\n"
    }

    private static func file(_ path: String) -> String {
        String(decoding: EmbeddedDocument.file(at: path), as: UTF8.self)
    }

    private static func lines(of path: String) -> [String] {
        file(path).utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    }

    /// The value of an attribute in a line that begins so.
    private static func value(
        of attribute: String, in line: String, after beginning: String
    ) -> String? {
        guard line.hasPrefix(beginning) else { return nil }
        let words = line.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        let index = words.firstIndex { String(Substring($0)).hasSuffix("\(attribute)=") }
        return index.map { String(Substring(words[$0 + 1])) }
    }
}
