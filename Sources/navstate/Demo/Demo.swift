internal import API
internal import Bytes
internal import Navigation
internal import POSIX
internal import Server
internal import Storage

/// The command `demo`: a server with sample apps and sessions, whose data are temporary.
enum Demo {
    /// The options that are for the demo. Others are about data that are kept, or about access.
    static let options = ["lan", "listen", "log-level", "log-format"]

    /// Serves until a signal ends it, then removes the data.
    static func run(_ context: CommandContext) throws(ExitError) {
        let output = context.output
        let configuration = try configuration(context)
        // From here on no signal ends the process before the directory is removed.
        do throws(SystemError) { _ = try Control.signals() } catch {
            throw ExitError(.internalError, error.description)
        }
        let directory = try temporaryDirectory()
        defer { try? Directory.removeTree(directory) }
        var plan = ServingPlan(configuration)
        plan.configuration.store.path = directory + "/store"
        plan.isTemporary = true
        plan.apps = try apps(configuration)
        let isOpen = configuration.listen.allSatisfy(\.isLoopback)
        let token = isOpen ? nil : FirstToken.random()
        if let token { try add(token, to: &plan.tokens) }
        plan.prepare = { (service, bound) throws(ExitError) in
            try prepare(service, bound, token: token, output: output)
        }
        try Serving.run(plan, output: output)
        output.print("The demo has ended, and its data are removed.\n")
    }

    // MARK: - Options

    /// Environment variables that are meant for a server with data of its own do not matter here.
    /// So the demo also runs where they are set, as in the container image.
    private static func configuration(
        _ context: CommandContext
    ) throws(ExitError) -> Configuration {
        let world = context.world.keeping(options)
        let resolution = try Resolution(context.invocation.options, world)
        var configuration = resolution.configuration
        if resolution.origins["listen"] == nil {
            let host = configuration.isOnNetwork ? "0.0.0.0" : "127.0.0.1"
            configuration.listen = [ListenAddress(host: host, port: 0)]
        } else if configuration.listen.allSatisfy({ $0.path != nil }) {
            throw ExitError(.usage, "the demo needs an address that a browser can open, not a path")
        } else if configuration.isOnNetwork, configuration.listen.allSatisfy(\.isLoopback) {
            throw ExitError(
                .usage,
                "--lan needs an address on the network, but --listen has only loopback "
                    + "addresses; leave --listen out")
        }
        if resolution.origins["log-level"] == nil {
            configuration.log.level = .warning
        }
        return configuration
    }

    // MARK: - Contents

    private static func temporaryDirectory() throws(ExitError) -> String {
        let parent = Process.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        do {
            let path = "\(parent)/navstate-demo-\(String(Random.word(), radix: 16))"
            try Directory.make(path)
            return path
        } catch {
            throw ExitError(
                .cannotCreate,
                "cannot create a temporary directory: \(error); set TMPDIR to a "
                    + "directory that can be written")
        }
    }

    private static func apps(_ configuration: Configuration) throws(ExitError) -> [CheckedApp] {
        var apps: [CheckedApp] = []
        for (name, document) in EmbeddedDocument.apps {
            guard let id = AppID(name) else { continue }
            do {
                let limits = configuration.server.service.limits
                apps.append(try CheckedApp(document, named: id, limits: limits))
            } catch {
                throw ExitError(.internalError, "the sample app \(name) is invalid")
            }
        }
        return apps
    }

    private static func add(_ token: String, to tokens: inout Tokens) throws(ExitError) {
        do { try tokens.add(secret: Array(token.utf8)) } catch {
            throw ExitError(.internalError, error.detail)
        }
    }

    // MARK: - Start

    private static func prepare(
        _ service: Service, _ bound: Configuration, token: String?, output: Output
    ) throws(ExitError) {
        let client = InProcessClient(service, token: token)
        let now = Clock.realtimeMilliseconds
        try DemoSessions.create(by: client, at: now)
        let displayToken =
            token == nil ? nil : try DemoSessions.controlToken(by: client, at: now)
        let origin = Address.origin(bound.listen, onNetwork: bound.isOnNetwork) ?? ""
        let text = DemoText(
            origin: origin, token: token,
            displayToken: displayToken, hasCode: bound.isOnNetwork,
            isTerminal: output.isTerminal)
        output.print(text.text)
    }
}
