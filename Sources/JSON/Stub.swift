package struct JSONPointer: Sendable, Equatable { package var text: String; package init(text: String) { self.text = text }
 package static func escaped(_ s: String) -> String { s } }
package struct SchemaProblem: Sendable { package var pointer: JSONPointer; package var detail: String }
package struct SchemaErrors: Error { package var problems: [SchemaProblem] }
package struct JSONSchema: Sendable {
 package init(compiling schema: JSON, definitions: JSONObject, at pointer: JSONPointer) throws(SchemaErrors) {}
 package func validate(_ value: JSON, at pointer: JSONPointer) -> [SchemaProblem] { [] }
 package func fillingDefaults(_ p: JSONObject) -> JSONObject { p }
 package func property(_ n: String) -> JSONSchema? { nil }
 package func convert(_ t: String) -> JSON? { .string(t) }
}
extension JSON { package func merging(_ patch: JSON) -> JSON { patch } }
