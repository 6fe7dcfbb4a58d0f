internal import Bytes

/// The modules that a page loads, as one. A browser needs longer to request fifty small modules
/// than to read them.
///
/// Each becomes a function that runs at its first import, so `import("./a.js")` still delays it.
/// The modules are written so that a line is enough to rewrite them: an import is one line and
/// names what it takes, exports have names, and no module imports itself by way of others.
struct ModuleBundle {
    private(set) var bytes: [UInt8] = Array(
        "const once = (make) => { let made; return () => made ??= make(); };\n".utf8)
    private let source: (String) -> [UInt8]?
    private var numbers: [ExactString: Int] = [:]

    /// - Parameter source: the file at a path.
    init(of module: String, source: @escaping (String) -> [UInt8]?) {
        self.source = source
        bytes += "m\(add(module))();\n".utf8
    }

    /// Adds a module and those that it imports. Returns its number.
    private mutating func add(_ path: String) -> Int {
        if let number = numbers[ExactString(path)] { return number }
        let number = numbers.count
        numbers[ExactString(path)] = number
        let file = source(path) ?? []
        var (exports, body, start) = ([Substring](), [UInt8](), 0)
        while start < file.count {
            let end = ByteSearch.first(ASCII.lineFeed, in: file, start..<file.count) ?? file.count
            if Self.namesModules(start..<end, of: file) {
                let line = Substring(decoding: file[start..<end], as: UTF8.self)
                body += rewritten(line, by: path, &exports).utf8
            } else {
                body += file[start..<end]
            }
            body.append(ASCII.lineFeed)
            start = end + 1
        }
        bytes += "// \(path)\nconst m\(number) = once(() => {\n".utf8
        bytes += body
        bytes += "return { \(exports.joined(separator: ", ")) };\n});\n".utf8
        return number
    }

    /// Whether a line imports, exports or loads a module. Only these lines are rewritten, and so
    /// only they are converted to text: the event loop waits while the bundle is made.
    private static func namesModules(_ line: Range<Int>, of file: [UInt8]) -> Bool {
        func has(_ literal: StaticString, at start: Int) -> Bool {
            file.span.isSame(as: literal, in: start..<start + literal.utf8CodeUnitCount)
        }
        let start = line.lowerBound
        if has("import {", at: start) || has("export ", at: start) { return true }
        var rest = line
        while let call = ByteSearch.first(UInt8(ascii: "("), in: file, rest) {
            if has("import(\".", at: call - 6) { return true }
            rest = call + 1..<line.upperBound
        }
        return false
    }

    private mutating func rewritten(
        _ line: Substring, by path: String, _ exports: inout [Substring]
    ) -> String {
        if line.hasPrefix("import {") { return imported(line, by: path) }
        guard line.hasPrefix("export ") else { return loaded(line, by: path) }
        let declaration = line.dropFirst("export ".utf8.count)
        if let name = Self.name(in: declaration) { exports.append(name) }
        return String(declaration)
    }

    /// The line `import { a, b as c } from "./d.js";`.
    private mutating func imported(_ line: Substring, by path: String) -> String {
        let parts = line.split(separator: "\"")
        guard parts.count == 3, let end = line.firstIndex(of: "}") else { return String(line) }
        let names = line[..<end].dropFirst("import {".utf8.count).split(separator: ",")
        let bound = names.map { name in
            let words = name.split(separator: " ")
            return words.count == 3 ? "\(words[0]): \(words[2])" : words.joined()
        }
        let number = add(Self.path(of: parts[1], from: path))
        return "const { \(bound.joined(separator: ", ")) } = m\(number)();"
    }

    /// A line with `import("./a.js")`, unless that is a type, as in `import("./a.js").A`.
    private mutating func loaded(_ line: Substring, by path: String) -> String {
        let begin = "import(\"."
        guard let found = line.utf8.firstRange(of: begin.utf8) else { return String(line) }
        let rest = line[found.lowerBound...]
        let parts = rest.split(separator: "\"", maxSplits: 2)
        guard parts.count == 3, parts[2].hasPrefix(").then(") || parts[2].hasPrefix(").catch(")
        else { return String(line) }
        let module = Self.path(of: parts[1], from: path)
        // A module of another folder is loaded as its file.
        guard module.hasPrefix("/console/") else {
            return "\(line[..<found.lowerBound])import(\"\(module)\"\(parts[2])"
        }
        return "\(line[..<found.lowerBound])Promise.resolve().then(m\(add(module))\(parts[2])"
    }

    /// The name in `async function a(`, `class A ` or `const a `.
    private static func name(in declaration: Substring) -> Substring? {
        let keywords = ["async", "function", "function*", "class", "const"]
        let word = declaration.split(separator: " ").first { !keywords.contains(String($0)) }
        return word?.prefix { $0.isLetter || $0.isNumber }
    }

    private static func path(of name: Substring, from path: String) -> String {
        var folders = path.split(separator: "/").dropLast()
        for part in name.split(separator: "/") where !(part == ".") {
            if part == ".." { folders.removeLast() } else { folders.append(part) }
        }
        return "/\(folders.joined(separator: "/"))"
    }
}
