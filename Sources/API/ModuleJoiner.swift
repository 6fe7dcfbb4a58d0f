internal import Bytes

/// Joins a script with the modules that it imports, so that a page needs one request for all of
/// them. Otherwise a browser requests sixty files over six connections before the console is
/// complete.
///
/// The sources remain modules, which also run in a browser and under Node without being joined. The
/// joined script behaves as they do:
///
/// 1. A module becomes a function that is called at once. Its names are local to that function,
///    which returns what the module exports. Imports become constants that are read from the
///    returned objects of other modules.
/// 2. A module is written once, after those that it imports and in the order in which a browser
///    runs them. Modules that import each other are refused.
/// 3. An exported name is a function, a class or a constant, so it has its final value when the
///    function returns.
/// 4. The script itself comes last and is not put into a function, so that it can export names and
///    use `await` at its top level. A script that imports nothing is not changed.
///
/// `import { h } from "./dom.js";` in `/console/main.js` becomes:
///
///     // /console/dom.js
///     const $1 = (() => {
///     …
///     return { h, replace };
///     })();
///     const { h } = $1;
///
/// The names `$1`, `$2`, … are reserved: modules must not use them.
package struct ModuleJoiner {
    private enum Progress {
        case open
        case done(number: Int, exports: [String])
    }

    private let read: (String) -> [UInt8]?
    private var progress: [ExactString: Progress] = [:]
    private var count = 0
    private var output: [UInt8] = []

    private init(reading read: @escaping (String) -> [UInt8]?) { self.read = read }

    /// The script at a path, with the modules that it imports in front of it.
    ///
    /// - Parameter read: returns the text of the module at a path. Nil if no module has that path.
    package static func script(
        at path: String, reading read: @escaping (String) -> [UInt8]?
    ) throws(ModuleError) -> [UInt8] {
        var joiner = ModuleJoiner(reading: read)
        joiner.progress[ExactString(path)] = .open
        let module = try joiner.module(at: path)
        let text = try joiner.text(of: module, keepsExports: true)
        return joiner.output + text
    }

    private func module(at path: String) throws(ModuleError) -> ScriptModule {
        guard let text = read(path) else { throw .missing(path) }
        return try ScriptModule(text, at: path)
    }

    /// The text of a module, in which constants replace the imports. Writes the imported modules
    /// to the output.
    private mutating func text(
        of module: ScriptModule, keepsExports: Bool
    ) throws(ModuleError) -> [UInt8] {
        var lines: [ArraySlice<UInt8>] = []
        for line in module.lines {
            switch line {
            case .code(let text): lines.append(text)
            case .imports(let names, let path):
                let number = try number(of: path, exporting: names)
                let list = names.joined(separator: ", ")
                lines.append(Array("const { \(list) } = $\(number);".utf8)[...])
            case .exports(_, let declaration):
                lines.append(keepsExports ? "export ".utf8 + declaration : declaration)
            }
        }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// The number of a module, which is written first if it has not been.
    private mutating func number(
        of path: String, exporting names: [String]
    ) throws(ModuleError) -> Int {
        let (number, exports) = try written(path)
        for name in names where !exports.contains(name) {
            throw .notExported(name, by: path)
        }
        return number
    }

    private mutating func written(
        _ path: String
    ) throws(ModuleError) -> (number: Int, exports: [String]) {
        switch progress[ExactString(path)] {
        case .done(let number, let exports): return (number, exports)
        case .open: throw .circular(path)
        case nil: break
        }
        progress[ExactString(path)] = .open
        let module = try module(at: path)
        let text = try text(of: module, keepsExports: false)
        count += 1
        let exports = module.exports
        output += "// \(path)\nconst $\(count) = (() => {\n".utf8
        output += text
        output += "\nreturn { \(exports.joined(separator: ", ")) };\n})();\n".utf8
        progress[ExactString(path)] = .done(number: count, exports: exports)
        return (count, exports)
    }
}
