internal import API
internal import Bytes
internal import HTTP

/// A command of the program. The parser, help, the manual page and completion read the table
/// `Subcommand.all`.
package struct Subcommand: Equatable, Sendable {
    /// One word, or two for a command about the document of an app: `app check`.
    package private(set) var name: String
    /// The words after the name, besides options.
    package private(set) var words: WordList = ""
    /// A phrase for help, without a full stop.
    package private(set) var meaning: String
    /// Full sentences for `navstate help NAME` and the manual page. Empty if the phrase says all.
    package private(set) var details = ""
    /// Whether the command is a request to a running server.
    package private(set) var isClient = false
    /// The operations of the API that it requests. With a single one, its words are the request.
    var operations: [Operation] = []
    /// Whether it does more with the operations than request them.
    var hasOwnFunction = false
    /// How its result is printed for people.
    var form = ResultForm.document
    /// The options that it has besides those of the server.
    package private(set) var options: [String] = []
    /// Whether it has the options of the server, too.
    private(set) var hasServerOptions = true
    var run: @Sendable (CommandContext) throws(ExitError) -> Void

    /// The name with the words after it: `restore FILE`.
    package var usage: String { words.text.isEmpty ? name : "\(name) \(words.text)" }

    /// All commands, in the order in which help lists them.
    package static let all = local + app + client

    /// The command of that name, if there is one.
    package static func named(_ name: String) -> Subcommand? {
        // One list after another: each is made when it is read first, and a start needs one.
        local.first { $0.name == name } ?? app.first { $0.name == name }
            ?? client.first { $0.name == name }
    }

    /// The command that a command line begins with, if there is one.
    package static func beginning(_ words: [String]) -> Subcommand? {
        guard let first = words.first, !first.hasPrefix("-") else { return nil }
        return named(first) ?? named(words.prefix(2).joined(separator: " "))
    }

    /// The first words of all commands, each once.
    package static let firstWords = all.map { $0.name.words[0] }.reduce(into: [String]()) {
        if !$0.contains($1) { $0.append($1) }
    }

    /// The commands of two words that begin with this one.
    package static func verbs(of word: String) -> [Subcommand] {
        all.filter { $0.name.words.count > 1 && $0.name.words[0] == word }
    }

    /// The requests that it can send, each as its method and its path.
    package var requests: [String] {
        operations.compactMap(Endpoint.of).map { "\($0.method.name) \($0.template)" }
    }

    /// Whether the command is a single request whose result is printed.
    var isOneRequest: Bool { operations.count == 1 && !hasOwnFunction }

    /// The command with more options.
    func with(_ names: [String]) -> Subcommand { withOnly(names + options) }

    /// The command with these options alone.
    func withOnly(_ names: [String]) -> Subcommand {
        var row = self
        row.options = names
        return row
    }

    /// The second word of its name, or the only one.
    package var verb: String { name.words.last ?? name }

    package static func == (left: Subcommand, right: Subcommand) -> Bool {
        left.name == right.name
    }
}

/// The words after a command: `ID [COUNT] [KEY=VALUE...]`.
///
/// After a colon is the member of the request that a word becomes, if it is not its name in small
/// letters: `[NEW:id]`. After `[KEY=VALUE...]` it is the member that all of these belong to.
package struct WordList: ExpressibleByStringLiteral, Sendable {
    /// A word.
    package struct Word: Sendable {
        /// The name in help. Words that can be chosen are its name with bars: `init|check`.
        package let name: String
        /// The member of the request, or the part of its path.
        package let member: String
        package let isRequired: Bool
        /// Whether it may be given several times.
        let isRepeated: Bool
    }

    /// The words as help shows them.
    package let text: String
    package private(set) var all: [Word] = []
    /// Whether members may follow, as `KEY=VALUE`.
    package private(set) var takesMembers = false
    /// The member of the request that these belong to, or nil if they are its own.
    package private(set) var enclosingMember: String?

    package init(stringLiteral text: String) {
        var shown: [String] = []
        for word in text.split(separator: " ") {
            let parts = word.filter { !"[]".contains($0) }.split(separator: ":").map(String.init)
            let isOptional = word.hasPrefix("[")
            shown.append(isOptional ? "[\(parts[0])]" : parts[0])
            if parts[0] == "KEY=VALUE..." {
                takesMembers = true
                enclosingMember = parts.dropFirst().first
                continue
            }
            let isRepeated = parts[0].hasSuffix("...")
            let name = isRepeated ? String(parts[0].dropLast(3)) : parts[0]
            all.append(
                Word(
                    name: name, member: parts.dropFirst().first ?? name.lowercased(),
                    isRequired: !isOptional, isRepeated: isRepeated))
        }
        self.text = shown.joined(separator: " ")
    }

    /// The word at a place of the command line, if there can be one.
    func word(at index: Int) -> Word? {
        index < all.count ? all[index] : all.last.flatMap { $0.isRepeated ? $0 : nil }
    }
}

/// A command line and what it runs in.
struct CommandContext {
    var invocation: Invocation
    let world: Resolution.World
    let output: Output

    /// The word after the command; empty without one.
    var argument: String { invocation.arguments.first ?? "" }

    func configuration() throws(ExitError) -> Configuration {
        try Resolution(invocation.options, world).configuration
    }

    /// The configuration of a command that reads or makes a store. A directory that the command
    /// line names counts, whatever the environment says of a shared store.
    func storeConfiguration() throws(ExitError) -> Configuration {
        var configuration = try configuration()
        let given = invocation.options.map { $0.option.name }
        if given.contains("data"), !given.contains("store") {
            configuration.sharedStore.address = nil
        }
        return configuration
    }
}

// The commands that this process carries out itself.
extension Subcommand {
    private static let local = [
        serve, demo, playground, healthcheck, check, dump, restore, store, config, version, openapi,
        completion, manpage, help,
    ]

    static let serve = Subcommand(
        name: "serve", meaning: "run the server until it is stopped (the default command)",
        run: Serving.run)

    static let demo = Subcommand(
        name: "demo",
        meaning: "run a server with sample apps and sessions, whose data are removed at the end",
        details: """
            It listens on a free port of this machine, unless --listen names another address, and \
            prints the addresses of the console and of a display, with commands to try. With --lan \
            other devices on the network can reach it, and it prints a QR code that opens the \
            display on a phone. The sample apps, the console and the display are part of the \
            executable. The data are in a temporary directory below $TMPDIR or /tmp, which is \
            removed at the end. It accepts only --lan, --listen, --log-level and \
            --log-format, and ignores the variables of other options.
            """, options: Demo.options, hasServerOptions: false, run: Demo.run)

    private static let healthcheck = Subcommand(
        name: "healthcheck",
        meaning: "check that the server at --listen is ready; exit code 0 or 1",
        run: Healthcheck.run)

    static let check = Subcommand(
        name: "check", words: "[DIR]",
        meaning: "read all of the store at --data or --store and report whether it is intact",
        run: Maintenance.check)

    static let dump = Subcommand(
        name: "dump", words: "[DIR]",
        meaning: "print the newest state of every session, one line of JSON each",
        run: Maintenance.dump)

    private static let restore = Subcommand(
        name: "restore", words: "FILE",
        meaning:
            "create a store at --data or --store from a backup (GET /v1/backup); - is standard input",
        run: Maintenance.restore)

    static let store = Subcommand(
        name: "store", words: "init|check|status|delete",
        meaning: "create, check or delete the shared store at --store, or report its state",
        details: """
            init creates the streams of a store, with --shards and --replicas. check reads every \
            message and reports damage; with --monitor it also asks the NATS servers whether they \
            sync each change. status reports the servers, the streams, their leaders and their \
            replicas; exit code 1 if a server cannot be used, or if a stream has no \
            leader, lacks a current replica or is configured differently. delete removes all \
            streams of the store, also those that an interrupted restore has left. It asks for the \
            prefix first, unless --yes is given. Stop all servers of the store before.
            """, options: ["yes"], run: SharedStoreCommand.run)

    static let config = Subcommand(
        name: "config", meaning: "print the effective options and the source of each",
        options: clientOptions
    ) { (context) throws(ExitError) in
        let resolution = try Resolution(context.invocation.options, context.world)
        context.output.print(resolution.report)
    }

    static let version = Subcommand(name: "version", meaning: "print the version") { context in
        context.output.print("navstate \(Version.text)\n")
    }

    private static let openapi = Subcommand(
        name: "openapi", meaning: "print the OpenAPI description of the API"
    ) { context in
        context.output.print(String(decoding: EmbeddedDocument.openAPI, as: UTF8.self))
    }

    private static let completion = Subcommand(
        name: "completion", words: "bash|zsh|fish",
        meaning: "print the completion script for a shell", run: Completion.printScript)

    private static let manpage = Subcommand(name: "manpage", meaning: "print the manual page") {
        context in
        context.output.print(ManualPage.text)
    }

    static let help = Subcommand(
        name: "help", words: "[TOPIC] [VERB]",
        meaning: "explain an option, a command, exit-codes or signals",
        run: Help.run)
}

extension String {
    /// The words of a command's name.
    var words: [String] { split(separator: " ").map(String.init) }
}
