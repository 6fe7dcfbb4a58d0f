internal import API
internal import POSIX
internal import Server

/// Who may come in, as the command line and the environment say it.
struct Entrance {
    /// A file with lines of `TOKEN SCOPE`.
    var tokenFile: String?
    /// Serve an address that is not loopback without tokens.
    var allowsAnonymous = false
    /// Names besides loopback's that the server goes by.
    var allowedHosts: [String] = []
    var allowedOrigins: [String] = []

    /// The tokens of the file, of `NAVSTATE_TOKEN` and of `NAVSTATE_TOKEN_FILE`.
    func tokens() throws(Failure) -> Tokens {
        var tokens = Tokens()
        if let tokenFile {
            let bytes = try Self.contents(tokenFile, "--token-file")
            do { try tokens.add(file: bytes) } catch {
                throw Failure(.configuration, "--token-file \(tokenFile): \(error)")
            }
        }
        if let text = Process.environment("NAVSTATE_TOKEN") {
            try Self.add(Array(text.utf8), to: &tokens, "NAVSTATE_TOKEN")
        }
        if let path = Process.environment("NAVSTATE_TOKEN_FILE") {
            let bytes = try Self.contents(path, "NAVSTATE_TOKEN_FILE")
            try Self.add(bytes, to: &tokens, "NAVSTATE_TOKEN_FILE \(path)")
        }
        return tokens
    }

    private static func add(
        _ secret: [UInt8], to tokens: inout Tokens, _ source: String
    ) throws(Failure) {
        do { try tokens.add(secret: secret) } catch {
            throw Failure(.configuration, "\(source): \(error.detail)")
        }
    }

    private static func contents(_ path: String, _ source: String) throws(Failure) -> [UInt8] {
        do { return try FileDescriptor.contents(of: path) } catch {
            throw Failure(.configuration, "\(source) \(path): \(error.text)")
        }
    }

    /// Without tokens anybody who reaches the server may do anything, so it stays on loopback
    /// unless somebody said in so many words that this is meant.
    func check(_ address: ListenAddress, _ tokens: Tokens) throws(Failure) {
        guard tokens.isEmpty, !allowsAnonymous, !address.isLoopback else { return }
        throw Failure(
            .usage,
            "\(address) is not a loopback address, and without a token anybody who reaches it may "
                + "do anything. Either give it a token (NAVSTATE_TOKEN, NAVSTATE_TOKEN_FILE or "
                + "--token-file), or say --allow-anonymous (NAVSTATE_ALLOW_ANONYMOUS=1)")
    }

    /// Elsewhere than on loopback any name will do, unless names were given.
    func door(for address: ListenAddress) -> Door {
        var door = Door()
        let isOpen = allowedHosts.isEmpty && !address.isLoopback
        door.allowedHosts = isOpen ? nil : allowedHosts
        door.allowedOrigins = allowedOrigins
        return door
    }
}
