/// The bounds of one request. Each is a number of bytes unless its name says otherwise.
package struct ParserLimits: Sendable, Equatable {
    /// The request line without its line end. A little more than a target needs, so that it is
    /// the target's bound that is felt.
    package var requestLineBytesMax = 8_192 + 256
    /// RFC 9112 §3 asks for at least 8,000 in a request line; browsers and proxies send 8 KiB.
    package var targetBytesMax = 8_192
    /// One field line without its line end: room for a large token or a cookie.
    package var fieldLineBytesMax = 16 * 1_024
    /// All field lines together, their line ends counted, the request line not.
    package var headBytesMax = 32 * 1_024
    /// As many field lines as a head may have, trailers counted apart.
    package var fieldsMax = 100
    /// A body after decoding.
    package var bodyBytesMax = 1_024 * 1_024
    /// What chunked coding adds to a body: size lines, extensions, line ends and trailers.
    /// A body of 1 MiB in pieces of 128 bytes stays below it.
    package var chunkOverheadBytesMax = 64 * 1_024
    /// Empty lines before a request line, which old clients leave behind a body (RFC 9112 §2.2).
    package var emptyLinesMax = 4

    package init() {}
}
