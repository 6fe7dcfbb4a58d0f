internal import Bytes

/// A JavaScript module as lines, of which those with `import` and `export` are understood.
///
/// Only the forms that the pages use are read, each on a line that begins with the word:
/// `import { byId, h } from "./dom.js";`, and `export` before `function`, `async function`, `class`
/// or `const`. Any other line that begins with one of the two words is refused: left as it is, it
/// would be a syntax error in the joined script.
struct ScriptModule {
    /// One line, without its line feed.
    enum Line: Equatable {
        case code(ArraySlice<UInt8>)
        /// The names, and the path of the module that exports them.
        case imports([String], from: String)
        /// The name, and the line without the word `export`.
        case exports(String, ArraySlice<UInt8>)
    }

    /// The path at which the module is served, from which its imports are resolved.
    let path: String
    /// All lines, in their order.
    let lines: [Line]

    init(_ text: [UInt8], at path: String) throws(ModuleError) {
        var lines: [Line] = []
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            lines.append(try Self.line(line, at: path))
        }
        self.path = path
        self.lines = lines
    }

    /// What other modules can import.
    var exports: [String] {
        lines.compactMap { line in
            if case .exports(let name, _) = line { name } else { nil }
        }
    }

    private static func line(
        _ bytes: ArraySlice<UInt8>, at path: String
    ) throws(ModuleError) -> Line {
        let isImport = bytes.starts(with: "import ".utf8)
        guard isImport || bytes.starts(with: "export ".utf8) else { return .code(bytes) }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let line = isImport ? importLine(text, at: path) : exportLine(text, bytes) else {
            throw .unknownForm(text, in: path)
        }
        return line
    }

    private static func importLine(_ text: String, at path: String) -> Line? {
        let start = "import { "
        let end = "\";"
        guard text.hasPrefix(start), text.hasSuffix(end),
            let middle = text.utf8.firstRange(of: " } from \"".utf8)
        else { return nil }
        let names = text[..<middle.lowerBound].dropFirst(start.count)
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { Substring($0.unicodeScalars.drop { $0 == " " }) }
        let target = text[middle.upperBound...].dropLast(end.count)
        guard names.allSatisfy(isName), let module = resolve(target, at: path) else { return nil }
        return .imports(names.map(String.init), from: module)
    }

    private static func exportLine(_ text: String, _ bytes: ArraySlice<UInt8>) -> Line? {
        var words = text.dropFirst("export ".count).split(separator: " ", maxSplits: 3)[...]
        if words.first.map(String.init) == "async" { words.removeFirst() }
        guard let kind = words.popFirst(),
            ["function", "class", "const"].contains(String(kind)),
            let name = words.first?.prefix(while: isNameCharacter), isName(name)
        else { return nil }
        return .exports(String(name), bytes.dropFirst("export ".utf8.count))
    }

    private static func isName(_ text: Substring) -> Bool {
        text.first?.isNumber == false && text.allSatisfy(isNameCharacter)
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII
            && (character.isLetter || character.isNumber || character.utf8.first == 0x5F)
    }

    /// The absolute path of `./b.js` or `../b.js`, as the module at this path refers to it.
    private static func resolve(_ target: Substring, at path: String) -> String? {
        var folders = path.split(separator: "/").dropLast()
        var rest = target
        if rest.hasPrefix("./") { rest = rest.dropFirst(2) }
        while rest.hasPrefix("../") {
            guard folders.popLast() != nil else { return nil }
            rest = rest.dropFirst(3)
        }
        guard rest.startIndex != target.startIndex, !rest.isEmpty, !rest.hasPrefix(".") else {
            return nil
        }
        return "/" + (folders + [rest]).joined(separator: "/")
    }
}

/// Why modules cannot be joined.
package enum ModuleError: Error, Equatable {
    /// A line that begins with `import` or `export` and has another form than those that are read.
    case unknownForm(String, in: String)
    /// There is no such module.
    case missing(String)
    /// The module imports itself, through others or directly.
    case circular(String)
    /// The module does not export this name.
    case notExported(String, by: String)
}
