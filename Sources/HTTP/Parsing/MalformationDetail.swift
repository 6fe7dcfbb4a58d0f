extension Malformation {
    /// What is wrong and what to do. Never contains bytes of the request.
    package var detail: String {
        switch self {
        case .tooManyEmptyLines: "Too many empty lines before the request line; send none."
        case .requestLine: "A request begins with METHOD, a space, a target, a space, HTTP/1.1."
        case .target: "The target must begin with a slash, or be an http URL without user or #."
        case .targetTooLong(let max): "The target has over \(max) bytes; use a body instead."
        case .requestLineTooLong(let max): "The request line has over \(max) bytes; shorten it."
        case .version: "Only HTTP/1.1 and HTTP/1.0 are spoken here; send HTTP/1.1."
        case .method: "Known methods: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS; use one."
        case .bareCarriageReturn: "A CR stands without LF; end lines in CR LF."
        case .bareLineFeed: "A line ends in LF alone; end lines in CR LF."
        case .controlByte(let byte): "There is a control byte (\(byte)) in the head; remove it."
        case .fieldName: "A field is a name with a colon directly behind it; correct the line."
        case .foldedField: "A field goes on in a second line; write it in one."
        case .repeatedField(let field): "The field \(field.name) came twice; send it once."
        case .fieldLineTooLong(let max): "A field has over \(max) bytes; shorten it."
        case .headTooLarge(let max): "The fields have over \(max) bytes together; send less."
        case .tooManyFields(let max): "There are over \(max) fields; send fewer."
        case .hostMissing: "HTTP/1.1 asks for a Host field; add one."
        case .host: "The host must be a name or an address, perhaps with a port; correct it."
        case .contentLength: "Content-Length must be one number in decimal digits."
        case .transferEncoding: "Transfer-Encoding is malformed; send chunked or a Content-Length."
        case .transferCoding: "The only transfer coding is chunked; or send a Content-Length."
        case .lengthBesideChunked: "Send either Content-Length or Transfer-Encoding, not both."
        case .chunkedInHTTP10: "HTTP/1.0 has no chunked coding; send a Content-Length."
        case .expectation: "The only expectation met here is 100-continue; leave Expect out."
        case .chunkSize: "A chunk begins with its size in 1 to 16 hexadecimal digits."
        case .chunkExtension: "A chunk's extension is malformed; leave it out."
        case .chunkEnd: "CR LF must stand directly behind a chunk's data; check its size."
        case .chunkOverheadTooLarge(let max): "Chunking adds over \(max) bytes; send larger chunks."
        case .bodyTooLarge(let max): "The body may have at most \(max) bytes; send less."
        }
    }
}
