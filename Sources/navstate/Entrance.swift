internal import API
internal import POSIX
internal import Server

/// Who may come in, as the options say it.
enum Entrance {
    /// The tokens of `--token-file` and of `NAVSTATE_TOKEN`.
    static func tokens(_ settings: Settings) throws(Failure) -> Tokens {
        var tokens = Tokens()
        if let path = settings.tokenFile {
            let bytes = try contents(path)
            do { try tokens.add(file: bytes) } catch {
                throw Failure(.configuration, "--token-file \(path): \(error)")
            }
        }
        if let token = settings.token {
            do { try tokens.add(secret: Array(token.utf8)) } catch {
                throw Failure(.configuration, "NAVSTATE_TOKEN: \(error.detail)")
            }
        }
        return tokens
    }

    private static func contents(_ path: String) throws(Failure) -> [UInt8] {
        do { return try FileDescriptor.contents(of: path) } catch {
            throw Failure(.configuration, "--token-file \(path): \(error.text)")
        }
    }

    /// Without tokens anybody who reaches the server may do anything, so it stays on loopback
    /// unless somebody said in so many words that this is meant.
    static func check(
        _ addresses: [ListenAddress], _ settings: Settings, _ tokens: Tokens
    ) throws(Failure) {
        let far = addresses.first { !$0.isLoopback }
        guard let far, tokens.isEmpty, !settings.allowAnonymous else { return }
        throw Failure(
            .usage,
            "\(far) is not a loopback address, and without a token anybody who reaches it may "
                + "do anything. Either give it a token (NAVSTATE_TOKEN, NAVSTATE_TOKEN_FILE or "
                + "--token-file), or say --allow-anonymous (NAVSTATE_ALLOW_ANONYMOUS=1)")
    }

    /// Elsewhere than on loopback any name will do, unless names were given.
    static func door(for addresses: [ListenAddress], _ settings: Settings) -> Door {
        var door = Door()
        let isLoopback = addresses.allSatisfy(\.isLoopback)
        let isOpen = settings.allowedHosts.isEmpty && !isLoopback
        door.allowedHosts = isOpen ? nil : settings.allowedHosts.compactMap { Door.host($0) }
        door.allowedOrigins = settings.allowedOrigins.compactMap { Door.origin($0) }
        return door
    }
}
