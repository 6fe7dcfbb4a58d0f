internal import API
internal import AppTools
internal import Bytes
internal import JSON
internal import Navigation

// The commands about documents that are requests to a server.

extension Subcommand {
    static let appPut = client(
        "app put FILE", .storeApp, meaning: "store an app on a server, or replace it",
        details: "FILE has the document of the app, - is standard input. The member id names the "
            + "app; without one, the name of the file does, without .json. With --dry-run nothing "
            + "is stored, and the answer has the errors and the changes to sessions."
    ).running(ClientCommand.storeApp)

    static let appShow = client(
        "app show APP", .readApp, meaning: "print the document of an app of a server",
        details: "It is printed as it was stored, on a terminal with a line for each member.")

    static let appDelete = client(
        "app delete APP", .deleteApp, as: .done("deleted the app"),
        meaning: "delete an app from a server",
        details: "The server refuses that while sessions are bound to the app.")

    static let appImpact = client(
        "app impact APP [KEY=VALUE...]", .appImpact,
        meaning: "print how many sessions the app has yet to change, and how",
        details: "KEY=VALUE are query parameters: limit=1000, cursor=ID for the next page.")
}

extension ClientCommand {
    func storeApp() throws(ExitError) {
        guard let document = try file() else { return }
        guard let id = AppID(named: document.value, orFile: words["FILE"] ?? "") else {
            throw ExitError(
                .usage,
                "\(document.file): the id of the app is missing or invalid; add the member \"id\"")
        }
        let isDry = flag("dry-run")
        var request = try request(.storeApp, of: document)
        request.target = id.target + (isDry ? "?dryRun=true" : "")
        let result = try call(request, of: document)
        if printer.printsJSON {
            printer.print(document: result)
        } else if isDry {
            printer.printTrial(result, document)
        } else {
            printer.printStored(result, document)
        }
        if isDry, result["valid"] == .bool(false) { throw ExitError(.refused, "") }
    }
}
