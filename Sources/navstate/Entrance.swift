package import API
internal import POSIX
package import Server

/// Who may come in, as the options say it.
package enum Entrance {
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
            "\(far) is not a loopback address, and without a token anyone who can reach it can do "
                + "everything. Either set a token (NAVSTATE_TOKEN, NAVSTATE_TOKEN_FILE or "
                + "--token-file), or allow this with --allow-anonymous "
                + "(NAVSTATE_ALLOW_ANONYMOUS=1)")
    }

    /// Which names in `Host` and which origins are accepted. A page whose name was made to point to
    /// this machine gets no further where that takes a token; where it does not, and where only
    /// this machine reaches the server, names have to be known.
    package static func door(
        for addresses: [ListenAddress], _ settings: Settings, isOpen: Bool
    ) -> Door {
        var door = Door()
        door.allowedHosts = settings.allowedHosts.compactMap { Door.host($0) }
        let isLoopback = addresses.allSatisfy(\.isLoopback)
        if !isLoopback, isOpen {
            door.otherHosts = .addresses
        } else if !isLoopback, door.allowedHosts.isEmpty {
            door.otherHosts = .any
        }
        door.allowedOrigins = settings.allowedOrigins.compactMap { Door.origin($0) }
        return door
    }
}
