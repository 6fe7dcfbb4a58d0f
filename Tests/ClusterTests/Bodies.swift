import JSON
import NATS

/// The body of an answer.
func body<Value: AnswerBody>(_ text: String) throws -> Value {
    guard case .object(let members) = try JSON(parsing: Array(text.utf8)) else {
        throw BodyError.notAnObject
    }
    return try Value(members)
}
