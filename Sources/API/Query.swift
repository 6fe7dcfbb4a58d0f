internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

/// The parameters of the query. Each must be one that the operation knows.
struct Query {
    private var items: [(name: String, value: String)] = []

    init(_ context: RequestContext, allowed: [String]) throws(OperationError) {
        guard context.request.query != nil else { return }
        do {
            items = try QueryItems(context.request).decoded { name in
                name == "label" || name == "session"
            }
        } catch {
            switch error {
            case .badEncoding:
                throw .problem(
                    Problem(
                        .malformedRequest,
                        "The query contains a control character or invalid percent-encoding."))
            case .repeated(let name):
                throw .problem(.invalidQuery(name, "must not be repeated"))
            }
        }
        let unknown = items.first { item in
            !allowed.contains { $0 == item.name }
        }
        if let unknown {
            let hint = Spelling.proposal(for: unknown.name, among: allowed, work: context.work)
            throw .problem(.invalidQuery(unknown.name, "is unknown\(hint)"))
        }
    }

    /// The values of a parameter that may be repeated, without duplicates.
    func values(_ name: String) -> [String] {
        var seen: Set<[UInt8]> = []
        return items.filter { $0.name == name && seen.insert(Array($0.value.utf8)).inserted }
            .map(\.value)
    }

    /// The value of a parameter, or nil if it is absent.
    func value(_ name: String) -> String? { items.first { $0.name == name }?.value }

    /// The value of a parameter that is `true` or `false`; false if it is absent.
    func flag(_ name: String) throws(OperationError) -> Bool {
        guard let text = value(name), text != "false" else { return false }
        guard text == "true" else {
            throw .problem(.invalidQuery(name, "must be true or false"))
        }
        return true
    }

    /// The value of a parameter that is a whole number, or nil if it is absent.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(OperationError) -> Int? {
        guard let text = value(name) else { return nil }
        if text.utf8.allSatisfy(ASCII.isDigit), let number = Int(text), range.contains(number) {
            return number
        }
        throw .problem(.invalidQuery(name, integerRule(range)))
    }
}

extension RequestContext {
    /// Checks that the request has no query parameters.
    func refuseQuery() throws(OperationError) { _ = try Query(self, allowed: []) }
}
