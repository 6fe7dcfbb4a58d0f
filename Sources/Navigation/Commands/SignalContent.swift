internal import JSON

/// The body of a signal: `{name, data?}`.
package struct SignalContent: Hashable, Sendable {
    /// The name of the signal.
    package var name: SignalName
    /// Any JSON value as text, if there is one.
    package var data: [UInt8]?

    package init(name: SignalName, data: [UInt8]? = nil) {
        self.name = name
        self.data = data
    }

    /// Reads the members of an object. Returns nil if the name is missing or invalid.
    package init?(_ reader: inout ObjectReader) {
        let name: SignalName? = reader.requiredName("name")
        data = reader.value("data")?.bytes
        if let data, data.count > Self.dataBytesMax {
            reader.refuse(
                "data", "must be at most \(Self.dataBytesMax) bytes as JSON", isLimit: true)
        }
        reader.refuseUnknown()
        guard let name else { return nil }
        self.name = name
    }

    /// The name under which `POST /v1/commands` takes a signal.
    package static let command = "signal"
    /// The data as compact JSON, as much as a fact may have.
    package static let dataBytesMax = 4 << 10
}
