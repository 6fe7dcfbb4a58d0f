internal import Assets
internal import Bytes
internal import HTTP

/// A file that is embedded in the executable. A script includes the modules that it imports.
struct Asset {
    let bytes: [UInt8]
    let contentType: ContentType
    /// Changes with the bytes.
    let etag: ResponseTag

    private init(_ number: Int32, path: String) {
        contentType = Self.contentType(of: path)
        bytes = contentType == .javaScript ? Self.script(at: path) : Self.bytes(of: number)
        var hash = FNV1a()
        hash.mix(bytes)
        etag = ResponseTag(String(hash.hash, radix: 16))
    }

    private static func bytes(of number: Int32) -> [UInt8] {
        (0..<asset_size(number)).map { asset_byte(number, $0) }
    }

    private static func script(at path: String) -> [UInt8] {
        do {
            return try ModuleJoiner.script(at: path) { numbers[ExactString($0)].map(bytes) }
        } catch {
            // The scripts are ours, and the tests join all of them.
            preconditionFailure("\(error)")
        }
    }

    private static func contentType(of path: String) -> ContentType {
        if path.hasSuffix(".js") { return .javaScript }
        if path.hasSuffix(".css") { return .css }
        if path.hasSuffix(".yaml") { return .yaml }
        if path.hasSuffix(".json") { return .json }
        if path.hasSuffix(".svg") { return .svg }
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

    /// Reads the file that is served at the path, if there is one.
    init?(at path: String) {
        guard let number = Self.numbers[ExactString(path)] else { return nil }
        self.init(number, path: path)
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
        let pages = ProblemPages(ProblemGuide.all(in: EmbeddedDocument.problems))
        problems = pages
        return pages
    }
}

/// Documents that the executable contains.
package enum EmbeddedDocument {
    /// The description of the API as YAML.
    package static var openAPI: [UInt8] { Asset(at: "/openapi.yaml")?.bytes ?? [] }

    /// What the pages say about problems, as JSON.
    package static var problems: [UInt8] { Asset(at: "problems.json")?.bytes ?? [] }

    /// The paths of all scripts.
    package static var scripts: [String] {
        Asset.paths(withPrefix: "/").filter { $0.hasSuffix(".js") }
    }

    /// What agents are told about the server and its tools, as JSON.
    package static var agents: [UInt8] { Asset(at: "agents.json")?.bytes ?? [] }

    /// The sample apps of the demo, each as its id and its JSON text. No URL leads to them.
    package static var apps: [(id: String, document: [UInt8])] {
        Asset.paths(withPrefix: "apps/").compactMap { path in
            guard let asset = Asset(at: path) else { return nil }
            return (String(path.dropFirst("apps/".count)), asset.bytes)
        }
    }
}
