public import JSON

/// Reads the bodies of requests.
public struct RequestBody {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let nestingMax: Int

    /// - Parameter range: where the body is; an empty one counts as `{}`.
    public init(_ bytes: [UInt8], in range: Range<Int>, limits: Limits) {
        self.bytes = bytes
        self.range = range
        nestingMax = limits.nestingMax
    }

    public init(_ text: String, limits: Limits) {
        let bytes = Array(text.utf8)
        self.init(bytes, in: 0..<bytes.count, limits: limits)
    }

    /// The body as JSON, whatever its shape.
    public func json() throws(ProblemContent) -> JSON {
        guard !range.isEmpty else { return .object(JSONObject()) }
        do {
            return try JSON(parsing: bytes, in: range, limits: jsonLimits)
        } catch {
            guard case .nameTooLong(let bytesMax) = error.reason else {
                throw ProblemContent(error)
            }
            throw longName(bytesMax)
        }
    }

    /// The body, which must be an object.
    public func object() throws(ProblemContent) -> JSONObject {
        guard case .object(let object) = try json() else { throw .bodyIsNoObject }
        return object
    }

    /// The body as JSON text without white space, whatever its shape.
    public func compact() throws(ProblemContent) -> CompactObject {
        guard !range.isEmpty else { return .empty }
        if let text = CompactText.text(of: bytes, in: range, limits: jsonLimits) { return text }
        return CompactObject(try json().bytes)
    }

    private var jsonLimits: JSONLimits {
        var limits = JSONLimits(nestingMax: nestingMax)
        limits.nameBytesMax = Limits.memberNameBytesMax
        return limits
    }

    /// The problem of a body that has a name of more than this number of bytes.
    private func longName(_ bytesMax: Int) -> ProblemContent {
        do throws(JSONSyntaxError) {
            let json = try JSON(
                parsing: bytes, in: range, limits: JSONLimits(nestingMax: nestingMax))
            let pointer = json.firstObject(withNameLongerThan: bytesMax)?.description ?? ""
            let detail = "must have no member whose name has more than \(bytesMax) bytes"
            return .invalid([InputFault(pointer: pointer, detail: detail, isLimit: true)])
        } catch {
            return ProblemContent(error)
        }
    }
}
