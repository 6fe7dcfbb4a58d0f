/// Documents that the executable carries.
package enum EmbeddedDocument {
    /// The description of the API, YAML.
    package static var openAPI: [UInt8] { Asset.bytes(at: "/openapi.yaml") }
}
