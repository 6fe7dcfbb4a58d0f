/// The limits of one request. Each is a number of bytes unless its name says otherwise.
package struct ParserLimits: Sendable, Equatable {
    /// The request line without its line end: a little more than the longest target needs, so that
    /// the limit for targets is reached first.
    package var requestLineBytesMax = 8_192 + 256
    /// A target. RFC 9112 §3 asks for request lines of at least 8,000 bytes; browsers and proxies
    /// send 8 KiB.
    package var targetBytesMax = 8_192
    /// One field line without its line end: room for a large token or a cookie.
    package var fieldLineBytesMax = 16 * 1_024
    /// All field lines together with their line ends, without the request line.
    package var headBytesMax = 32 * 1_024
    /// The number of field lines of a head; trailers are counted separately.
    package var fieldsMax = 100
    /// A decoded body.
    package var bodyBytesMax = 1_024 * 1_024
    /// What chunked coding adds to a body: size lines, extensions, line ends and trailers.
    /// A body of 1 MiB in chunks of 128 bytes stays below this limit.
    package var chunkOverheadBytesMax = 64 * 1_024
    /// The number of empty lines before a request line, which some old clients send after a body
    /// (RFC 9112 §2.2).
    package var emptyLinesMax = 4

    package init() {}
}
