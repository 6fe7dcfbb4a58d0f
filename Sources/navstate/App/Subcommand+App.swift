internal import AppTools
internal import Bytes

// The commands about the documents of apps. A command has a file of its own with its row and what
// it does; this list has their order.
extension Subcommand {
    package static let app: [Subcommand] = [
        appCheck, appSchema, appGenerate, appGraph, appExplore, appImport, appPut, appShow,
        appDelete, appImpact,
    ]

    /// A command about documents that asks no server, unless `--server` is given.
    static func aboutDocument(
        _ verb: String, _ words: WordList, meaning: String, details: String,
        run: @escaping @Sendable (AppCommand) throws(ExitError) -> Void
    ) -> Subcommand {
        Subcommand(
            name: "app \(verb)", words: words, meaning: meaning, details: details,
            options: clientOptions, hasServerOptions: false
        ) { (context) throws(ExitError) in try run(try AppCommand(context)) }
    }
}
