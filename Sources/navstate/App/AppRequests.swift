internal import AppTools
internal import Bytes
internal import JSON
internal import Navigation

// The commands about documents that are requests to a server.

extension Subcommand {
    static let appPut = client(
        "app put", "FILE", meaning: "store an app on a server, or replace it",
        details: "FILE has the document of the app, - is standard input. The member id names the "
            + "app; without one, the name of the file does, without .json. With --dry-run nothing "
            + "is stored, and the answer has the errors and the changes to sessions.",
        run: ClientCommand.storeApp
    ).with(["dry-run"])

    static let appShow = client(
        "app show", "APP", meaning: "print the document of an app of a server",
        details: "It is printed as it was stored, on a terminal with a line for each member.",
        run: ClientCommand.showApp)

    static let appDelete = client(
        "app delete", "APP", meaning: "delete an app from a server",
        details: "The server refuses that while sessions are bound to the app.",
        run: ClientCommand.deleteApp)
}

extension ClientCommand {
    func storeApp() throws(ExitError) {
        let path = words["FILE"] ?? ""
        let bytes = try context.world.document(path)
        let document: AppDocument
        do { document = try AppDocument(bytes, file: path) } catch {
            throw ExitError(.usage, error.line)
        }
        guard let id = AppID(named: document.value, orFile: path) else {
            throw ExitError(
                .usage, "\(path): the id of the app is missing or invalid; add the member \"id\"")
        }
        let isDry = configuration.app["dry-run"].flatMap(OptionValue<Bool>.flag.parse) ?? false
        let result = try call(
            ClientRequest("PUT", id.target + (isDry ? "?dryRun=true" : ""), body: bytes),
            of: document)
        printer.print(result) { printer in
            { isDry ? printer.printTrial($0, document) : printer.printStored($0, document) }
        }
        if isDry, result["valid"] == .bool(false) { throw ExitError(.refused, "") }
    }

    func showApp() throws(ExitError) {
        let document = try call(ClientRequest("GET", try appID().target))
        printer.print(document) { printer in { printer.print(lines: $0) } }
    }

    func deleteApp() throws(ExitError) {
        let id = try appID()
        _ = try call(ClientRequest("DELETE", id.target))
        if !printer.printsJSON { printer.print(line: "deleted the app \(id)") }
    }

    private func appID() throws(ExitError) -> AppID {
        let word = words["APP"] ?? ""
        guard let id = AppID(word) else { throw AppCommand.notAnID(word) }
        return id
    }
}
