internal import JSON

/// The body of a signal: `{name, data?}`.
public struct SignalContent: Hashable, Sendable {
    /// The name of the signal.
    public var name: SignalName
    /// Any JSON value as text, if there is one.
    public var data: [UInt8]?

    public init(name: SignalName, data: [UInt8]? = nil) {
        self.name = name
        self.data = data
    }

    /// Reads the members of an object. Returns nil if the name is missing or invalid.
    public init?(_ reader: inout ObjectReader) {
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
    public static let command = "signal"
    /// The data as compact JSON, as much as a fact may have.
    public static let dataBytesMax = 4 << 10
}
