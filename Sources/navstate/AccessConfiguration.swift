package import API
internal import POSIX
package import Server

/// The access rules that follow from the options: tokens, host names and origins.
package enum AccessConfiguration {
    /// Reads the tokens of `--token-file` and `NAVSTATE_TOKEN`.
    ///
    /// - Throws: a `configuration` error that names the file and the line, or the variable.
    package static func tokens(_ configuration: Configuration) throws(ExitError) -> Tokens {
        var tokens = Tokens()
        if let path = configuration.access.tokenFile {
            let bytes = try contents(path)
            do { try tokens.add(file: bytes) } catch {
                throw ExitError(.configuration, "--token-file \(path): \(error)")
            }
        }
        if let token = configuration.access.token {
            do { try tokens.add(secret: Array(token.utf8)) } catch {
                throw ExitError(.configuration, "NAVSTATE_TOKEN: \(error.detail)")
            }
        }
        return tokens
    }

    /// Adds the token that `--first-token make` has made.
    ///
    /// - Throws: a `configuration` error if its file cannot be read, or has anything but a token.
    package static func add(
        _ first: FirstToken, to tokens: inout Tokens
    ) throws(ExitError) {
        let bytes = try first.read()
        do { try tokens.add(secret: bytes) } catch {
            throw ExitError(.configuration, "\(first.path): \(error.detail)")
        }
    }

    private static func contents(_ path: String) throws(ExitError) -> [UInt8] {
        do { return try FileDescriptor.contents(of: path) } catch {
            throw ExitError(.configuration, "--token-file \(path): \(error.text)")
        }
    }

    /// Refuses to serve addresses other than loopback without a token, because everyone who can
    /// reach the server could then do everything, unless `--allow-anonymous` is set.
    ///
    /// - Throws: a `usage` error with the choices.
    package static func check(
        _ configuration: Configuration, _ tokens: Tokens
    ) throws(ExitError) {
        let reachable = configuration.listen.first { !$0.isLoopback }
        guard let reachable, tokens.isEmpty, !configuration.access.allowAnonymous else { return }
        throw ExitError(
            .usage,
            "\(reachable) is not a loopback address, and without a token anyone who can reach it "
                + "can do everything. Either set a token (NAVSTATE_TOKEN, NAVSTATE_TOKEN_FILE or "
                + "--token-file), let the server make one (--first-token make), or allow this "
                + "with --allow-anonymous (NAVSTATE_ALLOW_ANONYMOUS=1)")
    }

    /// The policy for `Host` and `Origin`. DNS rebinding, by which a web page reaches the server
    /// under a name of its own, is harmless where requests need a token. Names are therefore
    /// restricted where they do not, and on loopback.
    ///
    /// - Parameters:
    ///   - addresses: the addresses that the server listens on.
    ///   - isOpen: whether requests need no token.
    package static func originPolicy(
        for addresses: [ListenAddress], _ configuration: Configuration, isOpen: Bool
    ) -> RequestOriginPolicy {
        var originPolicy = RequestOriginPolicy()
        originPolicy.allowedHosts = configuration.access.allowedHosts.compactMap {
            RequestOriginPolicy.host($0)
        }
        let isLoopback = addresses.allSatisfy(\.isLoopback)
        if !isLoopback, isOpen {
            originPolicy.otherHosts = .addresses
        } else if !isLoopback, originPolicy.allowedHosts.isEmpty {
            originPolicy.otherHosts = .any
        }
        originPolicy.allowedOrigins = configuration.access.allowedOrigins.compactMap {
            RequestOriginPolicy.origin($0)
        }
        return originPolicy
    }
}
