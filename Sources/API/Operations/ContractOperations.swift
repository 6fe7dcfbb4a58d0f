internal import HTTP
internal import JSON

/// What a client asks before anything else.
struct ContractOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// The version of the contract, the version of the program, and the features.
    func read() throws(OperationError) -> Reply {
        try context.refuseQuery()
        try context.checkAccept()
        let features = Contract.Feature.allCases.map { JSON.string($0.rawValue) }
        let value = JSONObject([
            ("contract", .string(Contract.version)),
            ("version", .string(context.service.environment.options.version)),
            ("features", .array(features)),
        ])
        return Reply(Response(.ok, contentType: .json, body: JSON.object(value).bytes))
    }
}
