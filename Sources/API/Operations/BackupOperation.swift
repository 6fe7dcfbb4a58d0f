internal import HTTP

extension Service {
    /// The head of the answer to `GET /v1/backup`. The copy itself is between the server and the
    /// store: it is the log's own bytes, and no rule has a say in it.
    func backup(_ context: RequestContext) throws(OperationError) -> Response {
        _ = try Query(context, allowed: [])
        try context.checkAccept(.ndjson)
        return Response(
            .ok, contentType: .ndjson, caching: .never,
            fields: [
                ResponseField("Content-Disposition", #"attachment; filename="navstate.jsonl""#)
            ])
    }
}
