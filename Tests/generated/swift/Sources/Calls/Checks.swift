import Foundation
import Navstate

struct Failure: Error, CustomStringConvertible {
    let description: String
}

func expect(_ holds: Bool, _ what: String) throws {
    if !holds { throw Failure(description: what) }
}

/// The problem with which the server refuses a call.
func problem<Value>(
    _ status: Int, _ kind: String, _ call: () async throws -> Value
) async throws -> Problem {
    do {
        _ = try await call()
    } catch let error as ErrorResponse {
        guard case .error(let code, let data?, _, _) = error else { throw error }
        let problem = try CodableHelper().decode(Problem.self, from: data).get()
        try expect(code == status && problem.status == status, "\(kind) has status \(code)")
        try expect(problem.type == "/problems/\(kind)", "\(problem.type) instead of \(kind)")
        return problem
    }
    throw Failure(description: "\(kind) was expected")
}
