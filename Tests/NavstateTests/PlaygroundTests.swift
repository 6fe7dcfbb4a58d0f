import Bytes
import Testing
import navstate

/// The page that `navstate playground` writes.
@Suite struct PlaygroundTests {
    private let page = PlaygroundPage.text

    /// The files that the page holds, by their paths.
    private var held: [String: String] {
        let begin = "<script type=\"text/plain\" data-file=\""
        var found: [String: String] = [:]
        for part in page.components(separatedBy: begin).dropFirst() {
            let pieces = part.components(separatedBy: "\">", most: 2)
            found[pieces[0]] = pieces[1].components(separatedBy: "</script>", most: 2)[0]
        }
        return found
    }

    @Test func `it holds every module that a held one imports`() {
        let held = held
        #expect(held.count > 40)
        for (path, text) in held where path.hasSuffix(".js") {
            for line in text.split(separator: "\n") where line.hasPrefix("import ") {
                let name = line.components(separatedBy: "\"")[1]
                let base = path.split(separator: "/").dropLast().map(String.init)
                let steps = name.split(separator: "/").reduce(into: base) { path, step in
                    if step == ".." {
                        path.removeLast()
                    } else if step != "." {
                        path.append(String(step))
                    }
                }
                #expect(held["/" + steps.joined(separator: "/")] != nil, "\(path): \(name)")
            }
        }
    }

    @Test func `it names no other file and sends nothing`() {
        #expect(page.hasPrefix(PlaygroundPage.beginning))
        #expect(!page.contains("<link rel=\"stylesheet\""))
        #expect(!page.contains("modulepreload"))
        #expect(!page.contains(" src=\"/"))
        #expect(page.contains("default-src 'none'"))
        #expect(!page.contains("connect-src"))
        #expect(held["/rules.wasm"].flatMap { Base64.decode($0) }?.isEmpty == false)
    }

    /// A held file is text of a script element, in which these would begin or end something.
    @Test func `no held file ends its element`() {
        let scripts = page.components(separatedBy: "<script").count
        #expect(page.components(separatedBy: "</script>").count == scripts)
        #expect(held.values.allSatisfy { !$0.contains("<!--") })
    }
}

extension StringProtocol {
    fileprivate func components(separatedBy text: String, most: Int = .max) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while parts.count < most - 1, let range = rest.firstRange(of: text) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}
