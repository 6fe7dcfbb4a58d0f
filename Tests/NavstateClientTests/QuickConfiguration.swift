@testable import NavstateClient

extension Navstate.Configuration {
    /// Many retries in a short time, for servers that are about to come back.
    static var quick: Navstate.Configuration {
        var configuration = Navstate.Configuration()
        configuration.retries = 500
        configuration.backoff = Backoff(firstMilliseconds: 5, maxMilliseconds: 40)
        configuration.sleepBetweenAttempts = { pause in
            try await Task.sleep(for: min(pause, .milliseconds(40)))
        }
        return configuration
    }
}
