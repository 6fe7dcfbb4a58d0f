internal import Assets
internal import Bytes
internal import HTTP

/// A file that is embedded in the executable.
struct Asset {
    let bytes: [UInt8]
    let contentType: ContentType
    /// Changes with the bytes.
    let etag: ResponseTag
    /// Fields of the response. The bytes of the rules are compressed, with gzip and with Brotli.
    let fields: [ResponseField]

    /// Reads the file that is served at the path, if there is one.
    init?(at path: String) {
        let isBundle = path == "/console/start.js"
        let bundled =
            isBundle ? ModuleBundle(of: "/console/main.js", source: Self.file).bytes : nil
        guard let bytes = bundled ?? Self.file(at: path) else { return nil }
        self.bytes = bytes
        contentType = Self.contentType(of: path)
        let coding = path.hasSuffix(".br") ? "br" : "gzip"
        fields =
            contentType == .wasm
            ? [ResponseField("Content-Encoding", coding), ResponseField(.vary, "Accept-Encoding")]
            : []
        var hash = FNV1a()
        hash.mix(bytes)
        etag = ResponseTag(String(hash.hash, radix: 16))
    }

    private static func file(at path: String) -> [UInt8]? {
        guard let number = numbers[ExactString(path)] else { return nil }
        return (0..<asset_size(number)).map { asset_byte(number, $0) }
    }

    private static func contentType(of path: String) -> ContentType {
        if path.hasSuffix(".js") { return .javaScript }
        if path.hasSuffix(".css") { return .css }
        if path.hasSuffix(".yaml") { return .yaml }
        if path.hasSuffix(".schema.json") { return .schemaJSON }
        if path.hasSuffix(".json") { return .json }
        if path.hasSuffix(".svg") { return .svg }
        if path.hasSuffix(".ts") { return .text }
        if path.hasSuffix(".wasm") || path.hasSuffix(".wasm.br") { return .wasm }
        return .html
    }

    /// The number of each file by the path at which it is served.
    private static let numbers: [ExactString: Int32] = {
        var numbers: [ExactString: Int32] = [:]
        for number in 0..<asset_count() {
            let path = (0...).lazy.map { asset_path_byte(number, $0) }.prefix { $0 != 0 }
            numbers[ExactString(String(decoding: Array(path), as: UTF8.self))] = number
        }
        return numbers
    }()

    /// The sorted paths of all files whose paths begin so.
    static func paths(withPrefix prefix: String) -> [String] {
        numbers.keys.map(\.text).filter { $0.hasPrefix(prefix) }.sorted { $0 < $1 }
    }
}

/// The embedded files that have been asked for. A file is read at the first request for it, since
/// most servers are never asked for one.
struct AssetTable {
    private var known: [ExactString: Asset] = [:]
    private var problems: ProblemPages?

    /// The file that is served at the path, if there is one.
    mutating func asset(at path: String) -> Asset? {
        if let asset = known[ExactString(path)] { return asset }
        let asset = Asset(at: path)
        known[ExactString(path)] = asset
        return asset
    }

    /// The pages about problems.
    mutating func problemPages() -> ProblemPages {
        if let problems { return problems }
        let pages = ProblemPages(Asset(at: "problems.html")?.bytes ?? [])
        problems = pages
        return pages
    }
}

/// The pages about problems, which `Sources/Assets/generate.py` makes: a list, and a page for each.
struct ProblemPages {
    private var pages: [ExactString: [UInt8]] = [:]

    /// - Parameter file: between form feeds, the three parts of the frame, and for each page its
    ///   name, its title and its content.
    fileprivate init(_ file: [UInt8]) {
        let parts = file.split(separator: 0x0C)
        guard parts.count > 3 else { return }
        for part in parts.dropFirst(3) {
            let lines = part.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
            guard lines.count == 3 else { continue }
            let page = [parts[0], lines[1], parts[1], lines[2], parts[2]].joined()
            pages[ExactString(String(decoding: lines[0], as: UTF8.self))] = Array(page)
        }
    }

    /// The list of all problems, by status.
    var list: [UInt8] { self["problems"] }

    /// The page in place of one that does not exist.
    var missing: [UInt8] { self["missing-page"] }

    /// The page about the problem with a name.
    subscript(name: String) -> [UInt8] { pages[ExactString(name), default: []] }
}

/// Documents that the executable contains.
public enum EmbeddedDocument {
    /// The description of the API as YAML.
    public static var openAPI: [UInt8] { Asset(at: "/openapi.yaml")?.bytes ?? [] }

    /// The paths of all scripts.
    public static var scripts: [String] {
        Asset.paths(withPrefix: "/").filter { $0.hasSuffix(".js") }
    }

    /// The file that is served at a path.
    public static func file(at path: String) -> [UInt8] { Asset(at: path)?.bytes ?? [] }

    /// The JSON Schema of the document of an app.
    public static var appSchema: [UInt8] { Asset(at: "/app.schema.json")?.bytes ?? [] }

    /// The description of the server and its tools for agents, as JSON.
    public static var agents: [UInt8] { Asset(at: "agents.json")?.bytes ?? [] }

    /// The sample apps of the demo, each as its id and its JSON text. No URL leads to them.
    public static var apps: [(id: String, document: [UInt8])] {
        Asset.paths(withPrefix: "apps/").compactMap { path in
            guard let asset = Asset(at: path) else { return nil }
            return (String(path.dropFirst("apps/".count)), asset.bytes)
        }
    }
}
