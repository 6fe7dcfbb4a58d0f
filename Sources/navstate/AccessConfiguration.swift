package import API
internal import POSIX
package import Server

/// Who may come in, as the options say it.
package enum AccessConfiguration {
    /// The tokens of `--token-file` and of `NAVSTATE_TOKEN`.
    static func tokens(_ configuration: Configuration) throws(ExitError) -> Tokens {
        var tokens = Tokens()
        if let path = configuration.tokenFile {
            let bytes = try contents(path)
            do { try tokens.add(file: bytes) } catch {
                throw ExitError(.configuration, "--token-file \(path): \(error)")
            }
        }
        if let token = configuration.token {
            do { try tokens.add(secret: Array(token.utf8)) } catch {
                throw ExitError(.configuration, "NAVSTATE_TOKEN: \(error.detail)")
            }
        }
        return tokens
    }

    private static func contents(_ path: String) throws(ExitError) -> [UInt8] {
        do { return try FileDescriptor.contents(of: path) } catch {
            throw ExitError(.configuration, "--token-file \(path): \(error.text)")
        }
    }

    /// Without tokens anybody who reaches the server may do anything, so it stays on loopback
    /// unless somebody said in so many words that this is meant.
    static func check(
        _ addresses: [ListenAddress], _ configuration: Configuration, _ tokens: Tokens
    ) throws(ExitError) {
        let far = addresses.first { !$0.isLoopback }
        guard let far, tokens.isEmpty, !configuration.allowAnonymous else { return }
        throw ExitError(
            .usage,
            "\(far) is not a loopback address, and without a token anyone who can reach it can do "
                + "everything. Either set a token (NAVSTATE_TOKEN, NAVSTATE_TOKEN_FILE or "
                + "--token-file), or allow this with --allow-anonymous "
                + "(NAVSTATE_ALLOW_ANONYMOUS=1)")
    }

    /// Which names in `Host` and which origins are accepted. A page whose name was made to point to
    /// this machine gets no further where that takes a token; where it does not, and where only
    /// this machine reaches the server, names have to be known.
    package static func originPolicy(
        for addresses: [ListenAddress], _ configuration: Configuration, isOpen: Bool
    ) -> RequestOriginPolicy {
        var originPolicy = RequestOriginPolicy()
        originPolicy.allowedHosts = configuration.allowedHosts.compactMap {
            RequestOriginPolicy.host($0)
        }
        let isLoopback = addresses.allSatisfy(\.isLoopback)
        if !isLoopback, isOpen {
            originPolicy.otherHosts = .addresses
        } else if !isLoopback, originPolicy.allowedHosts.isEmpty {
            originPolicy.otherHosts = .any
        }
        originPolicy.allowedOrigins = configuration.allowedOrigins.compactMap {
            RequestOriginPolicy.origin($0)
        }
        return originPolicy
    }
}
