internal import Bytes

/// Finds the token of client commands.
enum ClientToken {
    /// The token of the option `--token-file` if it is on the command line, otherwise that of
    /// `NAVSTATE_TOKEN`, otherwise that of the file of `NAVSTATE_TOKENS_FILE`. Nil without any.
    ///
    /// - Throws: a `usage` error if the file has no token, or if the token cannot be sent.
    static func text(
        _ resolution: Resolution, _ world: Resolution.World
    ) throws(ExitError) -> String? {
        let access = resolution.configuration.access
        let isNamed = resolution.origins["token-file"] == .commandLine
        if let token = access.token, !isNamed {
            return try checked(token, from: "NAVSTATE_TOKEN")
        }
        guard let path = access.tokenFile else { return nil }
        let text = try world.read(path)
        // A file of the server has a scope and a name after each token.
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            guard let word = line.split(whereSeparator: \.isWhitespace).first else { continue }
            return try checked(String(word), from: path)
        }
        throw ExitError(.usage, "\(path): there is no token in the file")
    }

    private static func checked(_ token: String, from source: String) throws(ExitError) -> String {
        guard !token.isEmpty, ClientRequest.isVisible(token) else {
            throw ExitError(.usage, "\(source): a token consists of visible ASCII characters")
        }
        return token
    }
}
