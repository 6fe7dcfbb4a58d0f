/// A response as a value. `ResponseEncoder` turns it into bytes.
package struct Response: Sendable {
    // The small properties come first: a `Response`, and what contains one, is copied in registers
    // only as long as it is small, and otherwise by calls of `memcpy`.

    /// The status.
    package var status: Status
    /// The type of the body; it is not sent without a body.
    package var contentType: ContentType?
    /// The value of `Cache-Control`, or nil to leave the field out.
    package var caching: Caching?
    /// Whether the connection closes after this response even if the client wants to keep it.
    package var closes: Bool
    /// The entity tag.
    package var etag: ResponseTag?
    /// The value of `Location`.
    package var location: String?
    /// The other fields in the order in which they are sent, without `Date`, `Cache-Control`,
    /// `X-Request-Id`, `Content-Length`, `Transfer-Encoding` and `Connection`.
    package var fields: [ResponseField]
    /// The body, not encoded.
    package var body: [UInt8]
    /// The value of `X-Request-Id`, or nil to leave the field out.
    package var requestID: RequestID?
}

extension Response {
    /// A response, by default without fields and body.
    package init(
        _ status: Status, contentType: ContentType? = nil, etag: ResponseTag? = nil,
        location: String? = nil, caching: Caching? = nil, fields: [ResponseField] = [],
        body: [UInt8] = [], closes: Bool = false
    ) {
        self.init(
            status: status, contentType: contentType, caching: caching, closes: closes,
            etag: etag, location: location, fields: fields, body: body)
    }

    /// Whether the body is sent after the head.
    package func showsBody(to exchange: Exchange) -> Bool { status.allowsBody && !exchange.isHead }
}
