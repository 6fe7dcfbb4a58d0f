/// Documents that the executable carries.
package enum EmbeddedDocument {
    /// The description of the API, YAML.
    package static var openAPI: [UInt8] {
        var read: [String: Asset] = [:]
        return Asset.at("/openapi.yaml", &read)?.bytes ?? []
    }
}
