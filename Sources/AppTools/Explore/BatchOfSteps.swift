internal import JSON
public import NavstateRules

extension Exploration.Step {
    /// The command as an item of a batch.
    public var item: String {
        var item = JSONObject([("command", .string(command))])
        for member in JSONObject(text: body)?.members ?? [] {
            item.append(member.key, member.value)
        }
        return JSON.object(item).text
    }
}

extension [Exploration.Step] {
    /// The body of a batch with the commands.
    public var batch: String { #"{"commands":[\#(map(\.item).joined(separator: ","))]}"# }
}
