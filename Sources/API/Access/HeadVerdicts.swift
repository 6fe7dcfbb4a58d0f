internal import HTTP
internal import Navigation
internal import Sessions

/// Findings about the field lines of requests, by the number of the lines (`Request.fieldLines`).
/// Requests with equal lines need no second look.
///
/// Each request still decides the rest, such as which tokens are valid now.
struct HeadVerdicts {
    /// A property of field lines.
    struct Finding: OptionSet {
        let rawValue: UInt8

        /// The host, and the origin, are accepted of a request that reads.
        static let mayRead = Finding(rawValue: 1)
        /// The host, and the origin, are accepted of a request that changes something.
        static let mayChange = Finding(rawValue: 2)
        /// A body is declared as JSON, without a coding.
        static let declaresJSON = Finding(rawValue: 4)
        /// The client accepts JSON.
        static let acceptsJSON = Finding(rawValue: 8)
    }

    private struct Verdict {
        var fieldLines: UInt64 = 0
        var findings: Finding = []
        var token: PresentedToken?
    }

    private var verdicts: [Verdict] = []

    /// Whether the field lines of a request are known to have a property.
    func has(_ finding: Finding, _ request: Request) -> Bool {
        guard let index = index(of: request) else { return false }
        return verdicts[index].findings.contains(finding)
    }

    /// The token among the field lines of a request, if it is known.
    func token(_ request: Request) -> PresentedToken? {
        index(of: request).flatMap { verdicts[$0].token }
    }

    /// Notes a property of the field lines of a request.
    mutating func note(_ finding: Finding, _ request: Request) {
        prepare(request) { $0.findings.insert(finding) }
    }

    /// Notes the token among the field lines of a request.
    mutating func note(_ token: PresentedToken, _ request: Request) {
        prepare(request) { $0.token = token }
    }

    private mutating func prepare(_ request: Request, _ change: (inout Verdict) -> Void) {
        guard request.fieldLines != 0 else { return }
        if verdicts.isEmpty {
            verdicts = Array(repeating: Verdict(), count: KnownHeads.entriesMax)
        }
        let slot = Self.slot(of: request)
        if verdicts[slot].fieldLines != request.fieldLines {
            verdicts[slot] = Verdict(fieldLines: request.fieldLines)
        }
        change(&verdicts[slot])
    }

    private func index(of request: Request) -> Int? {
        let number = request.fieldLines
        guard number != 0, !verdicts.isEmpty else { return nil }
        let slot = Self.slot(of: request)
        return verdicts[slot].fieldLines == number ? slot : nil
    }

    private static func slot(of request: Request) -> Int {
        Int(truncatingIfNeeded: request.fieldLines) & (KnownHeads.entriesMax - 1)
    }
}

/// A token as a request presents it. It may not be valid.
struct PresentedToken {
    let digest: TokenDigest
    /// The session named in the text of the token, if there is one.
    let owner: SessionID?
}
