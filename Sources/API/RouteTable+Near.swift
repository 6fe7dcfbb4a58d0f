internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

extension RouteTable {
    /// URLs under `/v1` that differ from the path of the request in one misspelled segment, at most
    /// three, or in `/v1` itself. They have the variable segments of the request.
    func near(_ request: Request, _ work: WorkBudget) -> [String] {
        guard request.path.count <= Self.pathBytesMax, let path = request.text(request.path)
        else { return [] }
        var segments = path.utf8.dropFirst()
            .split(separator: ASCII.slash, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if segments.last == "" { segments.removeLast() }
        var near: [String] = []
        if segments.first != "v1" {
            // The version is easily forgotten.
            segments.insert("v1", at: 0)
            let last = segments.count - 1
            guard last > 0, Self.words(at: last, of: segments).contains(segments[last])
            else { return [] }
            return ["/" + segments.joined(separator: "/")]
        }
        for index in segments.indices.dropFirst() {
            let known = Self.words(at: index, of: segments)
            for word in Spelling.near(segments[index], among: known, work: work) {
                var url = segments
                url[index] = word
                let text = "/" + url.joined(separator: "/")
                if !near.contains(text) { near.append(text) }
            }
        }
        return Array(near.prefix(3))
    }

    /// The literal segments at this index of all templates that match the other segments.
    private static func words(at index: Int, of segments: [String]) -> [String] {
        var words: [String] = []
        for template in templates where template.count == segments.count {
            guard let word = template[index] else { continue }
            let matches = segments.indices.allSatisfy { other in
                guard other != index else { return true }
                guard let literal = template[other] else { return !segments[other].isEmpty }
                return literal == segments[other]
            }
            if matches, !words.contains(word) { words.append(word) }
        }
        return words
    }

    /// The segments of all templates; a variable one is nil.
    private static let templates: [[String?]] = Endpoint.all.map { endpoint in
        endpoint.template.utf8.dropFirst()
            .split(separator: ASCII.slash, omittingEmptySubsequences: false)
            .map { $0.first == UInt8(ascii: "{") ? nil : String(decoding: $0, as: UTF8.self) }
    }

    /// Longer paths get no hint; an id has at most 128 characters.
    private static let pathBytesMax = 512
}
